/** Creates projects from a repository elsewhere, by its URL. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { createProject, type NewProject, type Place } from '../../spaces/projects/projects.ts'
import { acceptTarget } from '../targets.ts'
import { importJob } from './imports.jobs.ts'

/** The privileged ports of SSH and the web. */
const importPorts = [22, 80, 443]

/**
 * Creates a project whose branches and tags a job fetches from `import_url`: `import_status` shows the progress. Throws 403 where
 * the instance doesn't allow such imports, 400 for a URL that is blocked, and as `createProject`. Credentials in the URL are in
 * the job alone, and gone with it.
 */
export async function startImport(app: App, user: User, place: Place, input: NewProject, import_url: string): Promise<LocatedProject> {
  if (!(await readSettings(app.db)).import_sources.includes('git')) throw forbidden()
  const target = await acceptTarget(app, 'import_url', import_url, importPorts)
  return createProject(app, user, place, input, {
    columns: { import_status: 'scheduled', import_url: target.url },
    begin: (tx, project_id) => enqueue(tx, importJob, { project_id, user_id: user.id, target }, { asked_by: user.id }),
  })
}
