/** Which commits are ancestors of others: whether branches are merged, and whether changes go forward. */

import { withQuarantine } from '../objects/quarantine.ts'
import { command } from '../process/command.ts'
import type { RefChange } from '../refs/ref-updates.ts'
import { mergedBranches, type Ref } from '../refs/refs.ts'
import { resolveCommit } from '../refs/resolve.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

/**
 * Whether `ancestor` can be reached from `descendant`, both by their ids. Of what is no commit the answer is no.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function isAncestor(repo: Repo, ancestor: string, descendant: string, quarantine = ''): Promise<boolean> {
  if (ancestor === descendant) return true
  const args = command`merge-base --is-ancestor ${ancestor} ${descendant}`
  const { code } = await captureIn(repo, args, { env: withQuarantine(repo, quarantine), accept: [1, 128] })
  return code === 0
}

/** Those that are behind the branch `head`. What is simply where it is counts as begun, not as merged. */
export async function mergedInto(repo: Repo, head: string | null, branches: Ref[]): Promise<Ref[]> {
  const tip = head && branches.length > 0 ? await resolveCommit(repo, `refs/heads/${head}`) : null
  if (!tip) return []
  const merged = await mergedBranches(repo, tip)
  return branches.filter(({ name, oid }) => oid !== tip && merged.has(name))
}

/** How many processes ask at once. */
const atOnce = 4

/**
 * Whether every change leads to a descendant of what it leaves: one process for each.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function goForward(repo: Repo, changes: RefChange[], quarantine: string): Promise<boolean> {
  for (let at = 0; at < changes.length; at += atOnce) {
    const some = changes.slice(at, at + atOnce)
    const answers = await Promise.all(some.map(({ before, after }) => isAncestor(repo, before, after, quarantine)))
    if (answers.includes(false)) return false
  }
  return true
}
