/** Collaboration: users who may merge a merge request from a fork may push to its source branch, if its author allows that. */

import { canDownload, findProject } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { branchProtectionOf, isProtectedBranch, mayMergeInto, mayPushTo } from '../protected-refs/protected-refs.ts'
import { type OpenedBranch, openedBranches } from './collaboration.queries.ts'
import type { Pusher } from './pusher.ts'

/**
 * The branches to which the user may push without being a member: those of open merge requests into projects where they may merge, if
 * neither project is private and the branch isn't protected. They may only add commits: branches can't be created or deleted that way. One
 * statement if there are none; two more per target project.
 * @param branch to check only this one
 */
export async function branchesOpenTo(app: App, { user, project, level }: Pusher, branch?: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (may('push_code', level) || project.visibility === 'private' || project.archived) return found
  if (!mayAct(user) || !canDownload({ project, level }, user)) return found
  const protection = await branchProtectionOf(app.db, project.id)
  const opened = await openedBranches(app.db, project.id, branch)
  const mayMerge = new Map<string, boolean>()
  for (const one of opened) {
    const { source_branch, project_id, target_branch } = one
    if (found.has(source_branch) || isProtectedBranch(protection, source_branch)) continue
    const key = `${project_id} ${target_branch}`
    const may = mayMerge.get(key) ?? (await mayMergeThere(app, user, one))
    mayMerge.set(key, may)
    if (may) found.add(source_branch)
  }
  return found
}

async function mayMergeThere(app: App, user: Pusher['user'], { project_id, target_branch }: OpenedBranch): Promise<boolean> {
  const target = await findProject(app.db, String(project_id), user).catch(nullIfMissing)
  if (!target || target.project.visibility === 'private' || target.project.archived || !canSeeMergeRequests(target, user)) return false
  const protection = await branchProtectionOf(app.db, project_id)
  return mayPushTo(protection, target.level, target_branch) || mayMergeInto(protection, target.level, target_branch)
}
