/** Which branches are merged, and whether they go forward. */
import { isAncestor } from '../history/history.ts'
import type { Repo } from '../repository/repository.ts'
import { isPlainFastForward } from './fast-forward.ts'
import type { RefChange } from './ref-updates.ts'
import { mergedBranches, type Ref } from './refs.ts'
import { resolveCommit } from './resolve.ts'

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
 * Whether every change leads to a descendant of what it leaves: one process for each that isn't plain.
 * @param quarantine the folder of objects that are not yet part of the repository
 */
export async function goForward(repo: Repo, changes: RefChange[], quarantine: string): Promise<boolean> {
  for (let at = 0; at < changes.length; at += atOnce) {
    const some = changes.slice(at, at + atOnce)
    const answers = await Promise.all(
      some.map(
        async ({ before, after }) => (await isPlainFastForward(quarantine, before, after)) || isAncestor(repo, before, after, quarantine),
      ),
    )
    if (answers.includes(false)) return false
  }
  return true
}
