/** Imports projects from the URL of a repository. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { acceptTarget } from '../../instance/targets.ts'
import { createProject, type NewProject, type Place } from '../../spaces/projects/projects.ts'
import { importJob } from './imports.jobs.ts'
import { reopenImport, setImportState } from './imports.queries.ts'

/** The ports of SSH and the web below 1024. */
const importPorts = [22, 80, 443]

/**
 * Creates a project; a job fetches branches and tags from `import_url`, and `import_status` shows the progress. Throws 403 if the instance
 * doesn't allow such imports, 400 for a URL that is blocked, and as `createProject`. Credentials in the URL are only stored in the job, and
 * deleted with it.
 */
export async function startImport(app: App, user: User, place: Place, input: NewProject, import_url: string): Promise<LocatedProject> {
  if (!(await readSettings(app.db)).import_sources.includes('git')) throw forbidden()
  const target = await acceptTarget(app, 'import_url', import_url, importPorts)
  return createProject(app, user, place, input, {
    columns: { import_status: 'scheduled', import_url: target.url },
    begin: (tx, project_id) => enqueue(tx, importJob, { project_id, user_id: user.id, target }, { asked_by: user.id }),
  })
}

/** Imports from a URL into a project that is there, and still empty: again, or for the first time. Throws as `startImport`, and 409. */
export async function restartImport(app: App, user: User, project_id: number, import_url: string): Promise<void> {
  if (!(await readSettings(app.db)).import_sources.includes('git')) throw forbidden()
  const target = await acceptTarget(app, 'import_url', import_url, importPorts)
  await inTransaction(app.db, async (tx) => {
    if (!(await reopenImport(tx, project_id, { import_url: target.url, after: ['none', 'failed'] }))) throw cannotBegin()
    await enqueue(tx, importJob, { project_id, user_id: user.id, target }, { asked_by: user.id })
  })
}

/** Refuses an import into a project that is being imported, has been, or has received a push in the meantime. */
export function cannotBegin(): Failure {
  return new Failure('conflict', 'The import cannot be started: there has been one that did not fail, or the repository is not empty.')
}

/** Stops an import or the copying of a fork; what has arrived so far is deleted. False if it has ended already. */
export function stopImport(app: App, project_id: number, { username }: Pick<User, 'username'>): Promise<boolean> {
  return setImportState(app.db, project_id, { import_status: 'failed', import_error: `Stopped by @${username}` })
}
