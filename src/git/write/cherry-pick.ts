/** Cherry-pick and revert: three-way merges of trees in a bare repository. */

import { emptyTree } from '../objects/object-id.ts'
import type { Commit } from '../objects/parse.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { readCommit } from '../objects/read.ts'
import { command } from '../process/command.ts'
import { captureIn, type Repo, run } from '../repository/repository.ts'

/** The tree of `onto` with the changes of `commit` against its first parent; null on a conflict. */
export async function cherryPickOnto(repo: Repo, commit: Commit, onto: Commit): Promise<string | null> {
  return mergeTrees(repo, { base: await treeBefore(repo, commit), ours: onto.tree, theirs: commit.tree })
}

/** The tree of `onto` without the changes of `commit` against its first parent; null on a conflict. */
export async function revertOnto(repo: Repo, commit: Commit, onto: Commit): Promise<string | null> {
  return mergeTrees(repo, { base: commit.tree, ours: onto.tree, theirs: await treeBefore(repo, commit) })
}

/** The empty tree for a root commit. */
async function treeBefore(repo: Repo, { parents: [first] }: Commit): Promise<string> {
  return first === undefined ? emptyTree : (await readCommit(repo, first)).tree
}

/**
 * `merge-tree` takes commits and looks for their base itself (before git 2.40 none can be given), so the three trees are
 * put into commits of their own: nothing refers to them, and housekeeping removes them.
 */
function mergeTrees(repo: Repo, { base, ours, theirs }: Record<'base' | 'ours' | 'theirs', string>): Promise<string | null> {
  return inQuarantine(repo, async (env) => {
    const common = await wrap(repo, env, base)
    const [left, right] = await Promise.all([wrap(repo, env, ours, common), wrap(repo, env, theirs, common)])
    const args = command`merge-tree --write-tree --no-messages ${left} ${right}`
    const { output, code } = await repo.git.costly.run(repo, () => captureIn(repo, args, { env, accept: [1] }))
    return code === 0 ? output.toString('latin1').trim() : null
  })
}

/** A commit of that tree, always with the same metadata, so that equal trees leave only one behind. */
async function wrap(repo: Repo, env: Record<string, string>, tree: string, parent?: string): Promise<string> {
  const parents = parent === undefined ? '' : `parent ${parent}\n`
  const input = `tree ${tree}\n${parents}author Gitstead <> 0 +0000\ncommitter Gitstead <> 0 +0000\n\n`
  return (await run(repo, command`hash-object -t commit -w --stdin`, { env, input })).toString('latin1').trim()
}
