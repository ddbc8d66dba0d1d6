/** Merges branches in a bare repository: tests whether they merge, and writes merge commits and squash commits. */
import { mergeBase } from '../history/merge-base.ts'
import { inQuarantine, inScratch } from '../objects/quarantine.ts'
import { readCommit } from '../objects/read.ts'
import type { Repo } from '../repository/repository.ts'
import { type Person, writeCommit } from './fast-import.ts'
import { mergeTreeOf } from './merge-tree.ts'

/** The result of merging `theirs` into `ours`. */
export type MergeOutcome =
  | { kind: 'clean'; tree: string }
  /** The conflicting paths, sorted. */
  | { kind: 'conflicts'; paths: string[] }
  /** The histories have no commit in common. */
  | { kind: 'unrelated' }

/** Both sides of a merge, as commit ids. */
export interface MergeSides {
  /** The tip of the branch that is merged into. */
  ours: string
  /** The tip of the branch that is merged. */
  theirs: string
}

/**
 * Tries a merge and keeps only the answer: the objects of the resulting tree may not exist. One process, and up to three more for
 * attributes. Fails as `unprocessable` or `timed_out` if git needs too much memory or time.
 */
export function tryMerge(repo: Repo, { ours, theirs }: MergeSides): Promise<MergeOutcome> {
  return inScratch(repo, (env) => outcomeOf(repo, env, { ours, theirs }))
}

/**
 * As `tryMerge`, but the tree of a clean merge is written, and on disk when this resolves. No process if `ours` is known to be an ancestor
 * of `theirs`: the result then is the tree of `theirs`.
 */
export async function writeMergedTree(repo: Repo, sides: MergeSides): Promise<MergeOutcome> {
  if ((await mergeBase(repo, [sides.ours, sides.theirs])) === sides.ours)
    return { kind: 'clean', tree: (await readCommit(repo, sides.theirs)).tree }
  return inQuarantine(repo, (env) => outcomeOf(repo, env, sides))
}

async function outcomeOf(repo: Repo, env: Record<string, string>, { ours, theirs }: MergeSides): Promise<MergeOutcome> {
  const merged = await mergeTreeOf(repo, env, ours, theirs)
  if (merged === null) return { kind: 'unrelated' }
  const { tree, conflicts } = merged
  return conflicts.length === 0 ? { kind: 'clean', tree } : { kind: 'conflicts', paths: conflicts.map(({ path }) => path) }
}

export interface MergeCommit {
  author: Person
  committer: Person
  message: string
}

/** Writes the commit that merges `theirs` into `ours`, with the tree of a clean merge. No ref points to it yet. */
export function writeMergeCommit(repo: Repo, { ours, theirs }: MergeSides, tree: string, commit: MergeCommit): Promise<string> {
  return writeCommit(repo, { ...commit, parents: [ours, theirs], tree })
}

/** Writes one commit on top of `onto` that replaces all commits of a branch, with the tree of a clean merge. No ref points to it yet. */
export function writeSquashCommit(repo: Repo, onto: string, tree: string, commit: MergeCommit): Promise<string> {
  return writeCommit(repo, { ...commit, parents: [onto], tree })
}
