/** Which commits are ancestors of others: whether branches are merged, and whether changes go forward. */

import { withQuarantine } from '../objects/quarantine.ts'
import { command } from '../process/command.ts'
import type { RefChange } from '../refs/ref-updates.ts'
import { mergedBranches, type Ref } from '../refs/refs.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { captureIn, type Repo } from '../repository/repository.ts'
import { isPlainFastForward } from './fast-forward.ts'

/**
 * Whether `ancestor` can be reached from `descendant`; both are ids. False for ids that are not commits.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function isAncestor(repo: Repo, ancestor: string, descendant: string, quarantine = ''): Promise<boolean> {
  if (ancestor === descendant) return true
  const args = command`merge-base --is-ancestor ${ancestor} ${descendant}`
  const { code } = await captureIn(repo, args, { env: withQuarantine(repo, quarantine), accept: [1, 128] })
  return code === 0
}

/** The branches merged into `head`. A branch at the same commit counts as new, not as merged. */
export async function mergedInto(repo: Repo, head: string | null, branches: Ref[]): Promise<Ref[]> {
  const tip = head && branches.length > 0 ? await resolveCommit(repo, `refs/heads/${head}`) : null
  if (!tip) return []
  const merged = await mergedBranches(repo, tip)
  return branches.filter(({ name, oid }) => oid !== tip && merged.has(name))
}

/** Maximum number of concurrent processes. */
const atOnce = 4

/**
 * Whether every change is a fast-forward. One process for each change that the commits in quarantine alone don't prove to be one.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function goForward(repo: Repo, changes: RefChange[], quarantine: string): Promise<boolean> {
  for (let at = 0; at < changes.length; at += atOnce) {
    const some = changes.slice(at, at + atOnce)
    const goesForward = async ({ before, after }: RefChange) =>
      (await isPlainFastForward(quarantine, before, after)) || isAncestor(repo, before, after, quarantine)
    const answers = await Promise.all(some.map(goesForward))
    if (answers.includes(false)) return false
  }
  return true
}
