/** Access of running jobs to repositories, by their tokens. */

import { canDownload, type LocatedProject, type ProjectAccess } from '../../access/find.ts'
import { reachesProject } from '../../access/job-tokens.ts'
import type { RunningJob } from '../../access/principals.ts'
import { refusalOfUser } from '../../access/states.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { denied, findVisible, unknownProject } from './refusals.ts'

/** A job can read what its user can read in projects that accept its token; elsewhere only what is public. It never writes. */
export async function admitJob(
  app: App,
  principal: RunningJob,
  path: string,
  purpose: 'read' | 'write' | 'push',
): Promise<{ project: LocatedProject; user: User; machine: null; level: number }> {
  const found = await findForJob(app, principal, path, purpose)
  if (!found) throw unknownProject()
  const { project, level, user } = found
  if (!canDownload({ project, level }, user)) throw denied('You are not allowed to download code from this project.')
  return { project, user: principal.user, machine: null, level }
}

/** The project as the job sees it: `user` is null if its token isn't accepted there. */
export async function findForJob(
  app: App,
  { job, user }: RunningJob,
  path: string,
  purpose: 'read' | 'write' | 'push',
): Promise<(ProjectAccess & { user: User | null }) | null> {
  const refusal = refusalOfUser(user)
  if (refusal !== null) throw denied(refusal)
  if (purpose !== 'read') throw denied('Job tokens cannot push.')
  const found = await findVisible(app, path, user)
  if (!found || (await reachesProject(app.db, job, found.project))) return found && { ...found, user }
  const asNobody = await findVisible(app, String(found.project.id), null)
  return asNobody && { ...asNobody, user: null }
}
