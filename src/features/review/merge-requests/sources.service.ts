/** The projects from which merge requests come: who decides over them, and whether one that was closed may be opened again. */
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

/** Whether the user may push to the project of a source branch: whoever may decides what becomes of the branch, and who sees it. */
export async function ownsSource(db: Db, user: User, project: LocatedProject): Promise<boolean> {
  const access = await findProject(db, String(project.id), user).catch(nullIfMissing)
  return access !== null && canPush(access)
}

/** Whether everybody who sees the target may read the source anyway. */
function isOpenAs(source: LocatedProject, target: LocatedProject): boolean {
  if (source.id === target.id) return true
  const isOpen = source.visibility === 'public' || (source.visibility === 'internal' && target.visibility === 'internal')
  return isOpen && source.repository_access_level === 'enabled'
}

/**
 * Whether what is pushed to the source may go on to those who see the target. Asked at each copy: whoever opened the merge request may
 * have lost their access to a source that not everybody reads.
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
 * As in the reference, one whose source is gone stays closed. What is in the branch by now is shown to all who see the target: that of a
 * private fork, those who push there alone may show.
 */
export async function canReopen(app: App, { user, project }: Actor, { source_project_id, source_branch }: MergeRequest): Promise<boolean> {
  const found = source_project_id === null ? null : await findProject(app.db, String(source_project_id), everything).catch(nullIfMissing)
  if (found === null) return false
  const source = found.project
  if (!isOpenAs(source, project) && !(await ownsSource(app.db, user, source))) return false
  if (source.id !== project.id && !(await areInOneNetwork(app.db, source.id, project.id))) return false
  return (await resolveCommit(app.git.open(source.id), `refs/heads/${source_branch}`)) !== null
}
