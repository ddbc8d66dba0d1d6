/** `git merge-tree`: merges of commits and of trees without a working tree, and what it says of conflicts. */
import { writeRawCommit } from '../objects/loose-object.ts'
import { command } from '../process/command.ts'
import { gitFailure } from '../process/git-failure.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

/** One side of a file in conflict. */
export interface Stage {
  /** Six octal digits. */
  mode: string
  oid: string
}

/** A path that could not be merged, with the versions of it that there are. A rename may leave each of them at a path of its own. */
export interface ConflictedPath {
  path: string
  base: Stage | null
  ours: Stage | null
  theirs: Stage | null
}

export interface MergedTree {
  /** With conflicts: as far as git came, text with conflict markers in it. */
  tree: string
  /** Empty if the merge is clean; sorted by path. */
  conflicts: ConflictedPath[]
}

/** The environment of a quarantine. */
type Environment = Record<string, string>

/**
 * Merges two commits. Null when their histories have nothing in common. The objects of the tree are written to where `env` says.
 * One process.
 */
export async function mergeTreeOf(repo: Repo, env: Environment, ours: string, theirs: string): Promise<MergedTree | null> {
  const args = command`merge-tree --write-tree -z --no-messages ${ours} ${theirs}`
  const { output, code, stderr } = await repo.git.costly.run(repo, () => captureIn(repo, args, { env, accept: [1, 128] }))
  if (code !== 128) return parseMergedTree(output)
  if (/refusing to merge unrelated histories/.test(stderr)) return null
  throw gitFailure(args, code, stderr)
}

/** What `merge-tree -z` writes: the tree, then a line for each version of each path in conflict. */
export function parseMergedTree(output: Buffer): MergedTree {
  const [tree = '', ...lines] = output.toString('utf8').split('\0')
  const conflicts = new Map<string, ConflictedPath>()
  for (const line of lines) {
    const [, mode = '', oid = '', stage, path = ''] = /^([0-7]+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(line) ?? []
    if (stage === undefined) continue
    const conflict = conflicts.get(path) ?? { path, base: null, ours: null, theirs: null }
    conflicts.set(path, conflict)
    if (stage === '1') conflict.base = { mode, oid }
    else if (stage === '2') conflict.ours = { mode, oid }
    else conflict.theirs = { mode, oid }
  }
  return { tree, conflicts: [...conflicts.values()] }
}

/**
 * Merges two trees by a third, which both come from; null on a conflict. `merge-tree` takes commits and looks for their base itself
 * (before git 2.40 none can be given), so the trees are put into commits of their own: nothing refers to them, and housekeeping
 * removes them.
 */
export async function mergeThreeTrees(
  repo: Repo,
  env: Environment,
  { base, ours, theirs }: Record<'base' | 'ours' | 'theirs', string>,
): Promise<string | null> {
  // What only one side has changed needs no merge.
  if (ours === base || ours === theirs) return theirs
  if (theirs === base) return ours
  const common = await wrap(env, base)
  const [left, right] = await Promise.all([wrap(env, ours, common), wrap(env, theirs, common)])
  const merged = await mergeTreeOf(repo, env, left, right)
  return merged === null || merged.conflicts.length > 0 ? null : merged.tree
}

/** A commit of that tree, always with the same metadata, so that equal trees leave only one behind. */
function wrap(env: Environment, tree: string, parent?: string): Promise<string> {
  const parents = parent === undefined ? '' : `parent ${parent}\n`
  return writeRawCommit(env, Buffer.from(`tree ${tree}\n${parents}author Gitstead <> 0 +0000\ncommitter Gitstead <> 0 +0000\n\n`))
}
