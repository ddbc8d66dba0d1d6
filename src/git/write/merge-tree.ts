/** `git merge-tree`: merges commits and trees without a working tree, and parses the conflicts that it reports. */
import { writeRawCommit } from '../objects/loose-object.ts'
import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { captureIn, type Repo } from '../repository/repository.ts'
import { layOutAttributes } from './merge-attributes.ts'

/** One side of a file in conflict. */
export interface Stage {
  /** Six octal digits. */
  mode: string
  oid: string
}

/** A path that could not be merged, with its existing versions. After a rename, each may have a path of its own. */
export interface ConflictedPath {
  path: string
  base: Stage | null
  ours: Stage | null
  theirs: Stage | null
}

export interface MergedTree {
  /** With conflicts, the partial result: its texts contain conflict markers. */
  tree: string
  /** Empty if the merge is clean; sorted by path. */
  conflicts: ConflictedPath[]
}

/** The environment of a quarantine. */
type Environment = Record<string, string>

/**
 * Merges two commits as `git merge` would in a working tree of `ours`, with the attributes of `ours`. Null if their histories have nothing
 * in common. The objects of the tree are written to where `env` says. One process if no file has changed on both sides; otherwise further
 * ones look for merge attributes, and merge again if there are any.
 */
export async function mergeTreeOf(repo: Repo, env: Environment, ours: string, theirs: string): Promise<MergedTree | null> {
  const plain = await mergeBy(repo, env, ours, theirs, null)
  const folder = plain && (await layOutAttributes(repo, env, ours, plain.merged))
  return folder === null ? plain : mergeBy(repo, env, ours, theirs, folder)
}

/** @param work_tree the folder with the attributes; null for none */
async function mergeBy(repo: Repo, env: Environment, ours: string, theirs: string, work_tree: string | null): Promise<MergeReport | null> {
  const args = command`merge-tree --write-tree -z --messages ${ours} ${theirs}`
  const options = { env: work_tree === null ? env : { ...env, GIT_WORK_TREE: work_tree }, cwd: work_tree ?? undefined, accept: [1, 128] }
  const { output, code, stderr } = await repo.git.costly.run(repo, () => captureIn(repo, args, options))
  if (code !== 128) return parseMergedTree(output)
  if (/refusing to merge unrelated histories/.test(stderr)) return null
  throw gitFailure(args, code, stderr)
}

interface MergeReport extends MergedTree {
  /** Files whose texts were merged, with or without conflicts. */
  merged: string[]
}

/** Parses `merge-tree -z`: the tree, a line for each version of each conflicting path, an empty line, and messages. */
export function parseMergedTree(output: Buffer): MergeReport {
  const [tree = '', ...lines] = output.toString('utf8').split('\0')
  const end = lines.indexOf('')
  const conflicts = new Map<string, ConflictedPath>()
  for (const line of lines.slice(0, end < 0 ? lines.length : end)) {
    const [, mode = '', oid = '', stage, path = ''] = /^([0-7]+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(line) ?? []
    if (stage === undefined) continue
    const conflict = conflicts.get(path) ?? { path, base: null, ours: null, theirs: null }
    conflicts.set(path, conflict)
    if (stage === '1') conflict.base = { mode, oid }
    else if (stage === '2') conflict.ours = { mode, oid }
    else conflict.theirs = { mode, oid }
  }
  return { tree, conflicts: [...conflicts.values()], merged: end < 0 ? [] : mergedPaths(lines.slice(end + 1)) }
}

/** Each message consists of the number of its paths, the paths, its type, and a sentence. */
function mergedPaths(fields: string[]): string[] {
  const merged: string[] = []
  for (let at = 0; at < fields.length; ) {
    const count = Number(fields[at])
    if (fields[at] === '' || !Number.isInteger(count)) break
    if (fields[at + 1 + count] === 'Auto-merging') merged.push(...fields.slice(at + 1, at + 1 + count))
    at += count + 3
  }
  return merged
}

/**
 * Merges two trees with a third one as their base; null on a conflict. `merge-tree` takes commits and finds their base itself (before git
 * 2.40 none can be given), so the trees are wrapped in commits: nothing refers to them, and housekeeping removes them.
 */
export async function mergeThreeTrees(
  repo: Repo,
  env: Environment,
  { base, ours, theirs }: Record<'base' | 'ours' | 'theirs', string>,
): Promise<string | null> {
  // A file that only one side changed needs no merge.
  if (ours === base || ours === theirs) return theirs
  if (theirs === base) return ours
  const common = await wrap(env, base)
  const [left, right] = await Promise.all([wrap(env, ours, common), wrap(env, theirs, common)])
  const merged = await mergeTreeOf(repo, env, left, right)
  return merged === null || merged.conflicts.length > 0 ? null : merged.tree
}

/** A commit of that tree with constant metadata, so that equal trees leave only one commit behind. */
function wrap(env: Environment, tree: string, parent?: string): Promise<string> {
  const parents = parent === undefined ? '' : `parent ${parent}\n`
  return writeRawCommit(env, Buffer.from(`tree ${tree}\n${parents}author Gitstead <> 0 +0000\ncommitter Gitstead <> 0 +0000\n\n`))
}
