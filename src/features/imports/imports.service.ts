/** Projects made of a repository elsewhere, by its URL. */
import type { LocatedProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { Failure, forbidden, invalid } from '../../failure.ts'
import { pinTarget, readTarget, type Target } from '../../outgoing/targets.ts'
import { enqueue } from '../../queue/queue.ts'
import type { Place } from '../projects/placement.service.ts'
import { createProject, type NewProject } from '../projects/projects.service.ts'
import { readSettings } from '../settings/settings.service.ts'
import { importJob } from './imports.jobs.ts'

/** Those of git's own and of the web, among those that are kept for what belongs to a machine. */
export const importPorts = [22, 80, 443]

/**
 * Makes a project whose branches and tags are fetched from `import_url` by a job: `import_status` tells how far it is. Throws
 * 403 where the instance allows no such imports, 400 where the URL leads where no request may go, and as `createProject`.
 * Credentials in the URL are in the job alone, and gone with it.
 */
export async function startImport(app: App, user: User, place: Place, input: NewProject, import_url: string): Promise<LocatedProject> {
  const target = await acceptUrl(app, import_url)
  return createProject(app, user, place, input, {
    columns: { import_status: 'scheduled', import_url: target.url },
    begin: (tx, project_id) => enqueue(tx, importJob, { project_id, user_id: user.id, target }),
  })
}

async function acceptUrl(app: App, import_url: string): Promise<Target> {
  const settings = await readSettings(app.db)
  if (!settings.import_sources.includes('git')) throw forbidden()
  const rules = { local: settings.allow_local_requests_from_hooks_and_services, ports: importPorts }
  try {
    const target = readTarget(import_url, rules)
    await pinTarget(target, rules).catch((error: unknown) => {
      // A host that isn't there now may be when the job looks for it.
      if (!(error instanceof Failure && error.code === 'not_found')) throw error
    })
    return target
  } catch (error) {
    throw error instanceof Failure ? invalid({ import_url: [`is blocked: ${error.message}`] }, error) : error
  }
}
