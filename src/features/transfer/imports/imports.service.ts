/** Projects made of a repository elsewhere, by its URL. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { createProject, type NewProject, type Place } from '../../spaces/projects/projects.ts'
import { acceptTarget } from '../targets.ts'
import { importJob } from './imports.jobs.ts'

/** Those of git's own and of the web, among those that are kept for what belongs to a machine. */
export const importPorts = [22, 80, 443]

/**
 * Makes a project whose branches and tags are fetched from `import_url` by a job: `import_status` tells how far it is. Throws
 * 403 where the instance allows no such imports, 400 where the URL leads where no request may go, and as `createProject`.
 * Credentials in the URL are in the job alone, and gone with it.
 */
export async function startImport(app: App, user: User, place: Place, input: NewProject, import_url: string): Promise<LocatedProject> {
  if (!(await readSettings(app.db)).import_sources.includes('git')) throw forbidden()
  const target = await acceptTarget(app, 'import_url', import_url, importPorts)
  return createProject(app, user, place, input, {
    columns: { import_status: 'scheduled', import_url: target.url },
    begin: (tx, project_id) => enqueue(tx, importJob, { project_id, user_id: user.id, target }, { asked_by: user.id }),
  })
}
