/** Writes the commits of a merge, by the merge method of the project. No ref moves here. */
import type { Project, User } from '../../../db/tables.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type MergeSides, writeMergeCommit, writeMergedTree, writeSquashCommit } from '../../../git/write/merge.ts'

export interface WrittenMerge {
  /** The new tip of the target branch. */
  tip_oid: string
  merge_commit_oid: string | null
  squash_commit_oid: string | null
}

export interface MergePlan {
  method: Project['merge_method']
  /** Whether one commit replaces those of the branch. */
  isSquashed: boolean
  /** Whether the target is an ancestor of the source. */
  isForward: boolean
  /** The tree of the merge, if it has just been written. */
  tree: string | null
  merger: User
  /** Author of the squash commit. */
  author: Pick<User, 'name' | 'email'>
  mergeMessage: string
  squashMessage: string
}

/** Null if the branches conflict, or the method requires a rebase first. */
export async function writeMerge(repo: Repo, sides: MergeSides, plan: MergePlan): Promise<WrittenMerge | null> {
  const { method, isSquashed, isForward, merger: committer } = plan
  if (method !== 'merge' && !isForward) return null
  if (method === 'ff' && !isSquashed) return { tip_oid: sides.theirs, merge_commit_oid: null, squash_commit_oid: null }
  const tree = plan.tree ?? (await mergedTree(repo, sides))
  if (tree === null) return null
  const squash_commit_oid = isSquashed
    ? await writeSquashCommit(repo, sides.ours, tree, { author: plan.author, committer, message: plan.squashMessage })
    : null
  if (method === 'ff') return { tip_oid: squash_commit_oid ?? sides.theirs, merge_commit_oid: null, squash_commit_oid }
  const merged = { ours: sides.ours, theirs: squash_commit_oid ?? sides.theirs }
  const tip_oid = await writeMergeCommit(repo, merged, tree, { author: committer, committer, message: plan.mergeMessage })
  return { tip_oid, merge_commit_oid: tip_oid, squash_commit_oid }
}

async function mergedTree(repo: Repo, sides: MergeSides): Promise<string | null> {
  const outcome = await writeMergedTree(repo, sides)
  return outcome.kind === 'clean' ? outcome.tree : null
}
