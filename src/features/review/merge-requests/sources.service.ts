/** Source projects of merge requests: who controls them, and whether a closed merge request may be reopened. */
import { canPush, findProject, type LocatedProject } from '../../../access/find.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { areInOneNetwork } from './network.queries.ts'

/** Whether the user may push to the source project: only such users decide what happens to the branch, and who sees it. */
export async function ownsSource(db: Db, user: User, project: LocatedProject): Promise<boolean> {
  const access = await findProject(db, String(project.id), user).catch(nullIfMissing)
  return access !== null && canPush(access)
}

/** Whether everyone who sees the target can read the source anyway. */
function isOpenAs(source: LocatedProject, target: LocatedProject): boolean {
  if (source.id === target.id) return true
  const isOpen = source.visibility === 'public' || (source.visibility === 'internal' && target.visibility === 'internal')
  return isOpen && source.repository_access_level === 'enabled'
}

/**
 * Whether new pushes to the source may be shown to readers of the target. Checked at each copy: the author of the merge request may have
 * lost access to a source that isn't readable for everyone.
 */
export async function mayFollowSource(db: Db, { source_project_id, project_id, author_id }: MergeRequest): Promise<boolean> {
  if (source_project_id === null || source_project_id === project_id) return true
  const [source, target] = await Promise.all(
    [source_project_id, project_id].map((id) => findProject(db, String(id), everything).catch(nullIfMissing)),
  )
  if (!source || !target) return false
  if (isOpenAs(source.project, target.project)) return true
  const author = await userById(db, author_id)
  return author !== null && mayAct(author) && (await ownsSource(db, author, source.project))
}

/**
 * As in the reference, a merge request without a source stays closed. Reopening shows the present branch to everyone who sees the target;
 * for a private fork, only users who can push there may do that.
 */
export async function canReopen(app: App, { user, project }: Actor, { source_project_id, source_branch }: MergeRequest): Promise<boolean> {
  const found = source_project_id === null ? null : await findProject(app.db, String(source_project_id), everything).catch(nullIfMissing)
  if (found === null) return false
  const source = found.project
  if (!isOpenAs(source, project) && !(await ownsSource(app.db, user, source))) return false
  if (source.id !== project.id && !(await areInOneNetwork(app.db, source.id, project.id))) return false
  return (await resolveCommit(app.git.open(source.id), `refs/heads/${source_branch}`)) !== null
}
