/** Which refs a mirror updates: all tags, and all branches or some of them. */
import type { App } from '../../../app.ts'
import type { PushMirror } from '../../../db/tables.ts'
import { branchOf } from '../../../git/refs/ref-updates.ts'
import { regexFilter } from '../../repository/branches/branches.ts'
import { isProtectedBranch, protectionOf } from '../../repository/protected-refs/protected-refs.ts'

type Selection = Pick<PushMirror, 'project_id' | 'only_protected_branches' | 'mirror_branch_regex'>

/** The given refs, by full name, that the mirror updates. */
export async function mirroredRefs(app: App, mirror: Selection, refs: Iterable<string>): Promise<Set<string>> {
  const all = [...new Set(refs)]
  const branches = all.flatMap((ref) => branchOf(ref) ?? [])
  const excluded = new Set<string>()
  if (mirror.only_protected_branches) {
    const protection = await protectionOf(app.db, mirror.project_id)
    for (const branch of branches) if (!isProtectedBranch(protection, branch)) excluded.add(branch)
  }
  if (mirror.mirror_branch_regex !== null) {
    const matched = await regexFilter(mirror.mirror_branch_regex)(branches)
    for (const [index, branch] of branches.entries()) if (!matched[index]) excluded.add(branch)
  }
  return new Set(all.filter((ref) => !excluded.has(branchOf(ref) ?? '')))
}
