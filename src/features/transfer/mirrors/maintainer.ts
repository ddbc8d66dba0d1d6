/** The user on whose behalf a mirror runs. */
import { findProject, type ProjectAccess } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'

/**
 * The user who created or last changed it. Checked in each run: throws 403 if they are no longer a maintainer, so that nothing is sent on
 * behalf of a former one.
 */
export async function maintainerOf(
  app: App,
  { user_id, project_id }: { user_id: number | null; project_id: number },
): Promise<ProjectAccess & { user: User }> {
  const user = user_id === null ? null : await userById(app.db, user_id)
  const access = user && mayAct(user) ? await findProject(app.db, String(project_id), user).catch(nullIfMissing) : null
  if (!user || !access || !may('manage_mirrors', access.level)) {
    throw new Failure('forbidden', 'Whoever set up the mirror is no maintainer of the project any more')
  }
  return { user, ...access }
}
