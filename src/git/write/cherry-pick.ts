/** Cherry-pick and revert: three-way merges of trees in a bare repository. */

import { emptyTree } from '../objects/object-id.ts'
import type { Commit } from '../objects/parse.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { readCommit } from '../objects/read.ts'
import type { Repo } from '../repository/repository.ts'
import { mergeThreeTrees } from './merge-tree.ts'

/** The tree of `onto` with the changes of `commit` against its first parent; null on a conflict. */
export async function cherryPickOnto(repo: Repo, commit: Commit, onto: Commit): Promise<string | null> {
  const trees = { base: await treeBefore(repo, commit), ours: onto.tree, theirs: commit.tree }
  return inQuarantine(repo, (env) => mergeThreeTrees(repo, env, trees))
}

/** The tree of `onto` without the changes of `commit` against its first parent; null on a conflict. */
export async function revertOnto(repo: Repo, commit: Commit, onto: Commit): Promise<string | null> {
  const trees = { base: commit.tree, ours: onto.tree, theirs: await treeBefore(repo, commit) }
  return inQuarantine(repo, (env) => mergeThreeTrees(repo, env, trees))
}

/** The empty tree for a root commit. */
async function treeBefore(repo: Repo, { parents: [first] }: Commit): Promise<string> {
  return first === undefined ? emptyTree : (await readCommit(repo, first)).tree
}
