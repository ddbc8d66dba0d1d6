/** Rebases in a bare repository: applies the commits of a branch one after another on top of another commit. */
import { writeRawCommit } from '../objects/loose-object.ts'
import { emptyTree } from '../objects/object-id.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { command } from '../process/command.ts'
import { lines } from '../process/output.ts'
import { type Repo, runCostly } from '../repository/repository.ts'
import { type Person, signature } from './fast-import.ts'
import { mergeThreeTrees } from './merge-tree.ts'

/** More commits than this are rejected: each costs a merge. */
export const maxRebased = 2_000

export type RebaseOutcome =
  /** The new tip; `onto` itself if every change is already there. */
  | { kind: 'done'; oid: string }
  /** The commit that doesn't apply. */
  | { kind: 'conflict'; commit: string }
  | { kind: 'too many' }

export interface RebaseSides {
  /** The tip of the branch. */
  tip: string
  /** The new base of its commits. */
  onto: string
  /** A commit of the branch: it and what it builds on are left out. */
  after?: string | undefined
}

/**
 * Does what `git rebase` does: omits merges, and commits whose change `onto` already has. Authors, author dates, messages and the change ids
 * of jj are preserved byte by byte; signatures are dropped. Everything is on disk when this resolves, and no ref has moved. One process for each commit that
 * needs a merge, a few more, and those for attributes (`merge-attributes.ts`).
 */
export async function rebase(repo: Repo, sides: RebaseSides, committer: Person): Promise<RebaseOutcome> {
  const { onto } = sides
  const commits = await commitsToRebase(repo, sides)
  if (commits.length > maxRebased) return { kind: 'too many' }
  const sources = await Promise.all(commits.map((oid) => readSource(repo, oid)))
  const parents = await Promise.all(sources.map((source) => treeOf(repo, source.parent)))
  return inQuarantine(repo, async (env) => {
    let current = { oid: onto, tree: await treeOf(repo, onto) }
    for (const [index, source] of sources.entries()) {
      const base = parents[index] ?? emptyTree
      const tree = await mergeThreeTrees(repo, env, { base, ours: current.tree, theirs: source.tree })
      if (tree === null) return { kind: 'conflict', commit: source.oid }
      // Its change is already there. A commit that was empty from the start is kept, as git does.
      if (tree === current.tree && source.tree !== base) continue
      current = source.parent === current.oid ? source : { oid: await writeRebased(env, source, tree, current.oid, committer), tree }
    }
    return { kind: 'done', oid: current.oid }
  })
}

/** Oldest first. */
async function commitsToRebase(repo: Repo, { tip, onto, after }: RebaseSides): Promise<string[]> {
  const kinds = command`--no-merges --cherry-pick --right-only --topo-order --reverse`
  return lines(await runCostly(repo, ['rev-list', ...kinds, `${onto}...${tip}`, ...(after === undefined ? [] : command`^${after}`), '--']))
}

interface Source {
  oid: string
  tree: string
  /** The first parent; null for a root commit. */
  parent: string | null
  /** Headers that are preserved: author, encoding, and the change id of jj. */
  author: Buffer
  encoding: Buffer | null
  change_id: Buffer | null
  message: Buffer
}

async function readSource(repo: Repo, oid: string): Promise<Source> {
  const object = await repo.git.objects.contents(repo.dir, oid)
  if (object?.type !== 'commit') throw new Error(`${oid} is no commit`)
  return { oid, ...parseSource(object.data) }
}

/** The parts of a raw commit that a rebase needs. */
export function parseSource(data: Buffer): Omit<Source, 'oid'> {
  const blank = data.indexOf('\n\n')
  const head = (blank < 0 ? data : data.subarray(0, blank)).toString('latin1').split('\n')
  const header = (name: string) => head.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
  const kept = (name: string) => {
    const value = header(name)
    return value === undefined ? null : Buffer.from(value, 'latin1')
  }
  return {
    tree: header('tree') ?? emptyTree,
    parent: header('parent') ?? null,
    author: Buffer.from(header('author') ?? '', 'latin1'),
    encoding: kept('encoding'),
    change_id: kept('change-id'),
    message: blank < 0 ? Buffer.alloc(0) : data.subarray(blank + 2),
  }
}

async function treeOf(repo: Repo, commit: string | null): Promise<string> {
  if (commit === null) return emptyTree
  return (await readSource(repo, commit)).tree
}

function writeRebased(
  env: Record<string, string>,
  { author, encoding, change_id, message }: Source,
  tree: string,
  parent: string,
  committer: Person,
): Promise<string> {
  const raw = Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\nauthor `),
    author,
    Buffer.from(`\ncommitter ${signature(committer)}`),
    ...(encoding === null ? [] : [Buffer.from('\nencoding '), encoding]),
    ...(change_id === null ? [] : [Buffer.from('\nchange-id '), change_id]),
    Buffer.from('\n\n'),
    message,
  ])
  return writeRawCommit(env, raw)
}
