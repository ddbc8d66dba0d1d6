/** Starts the import of an uploaded archive: stores it, creates the project, and enqueues the job. */
import { randomBytes } from 'node:crypto'
import { asId, type LocatedProject, levelInGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import type { LargeUpload } from '../../../http/parameters/upload.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { findNamespace } from '../../namespaces/namespaces.ts'
import { canCreateIn, createProject, isRouteTaken, namespaceFor, type Place } from '../../spaces/projects/projects.ts'
import { abandon, refer, storeDraft } from '../../storage/object-storage/object-storage.ts'
import type { ProjectSettings } from '../archive/archive.ts'
import { importArchiveJob } from './archive-imports.jobs.ts'
import { insertImport } from './archive-imports.queries.ts'
import { findReplaceable } from './replace-project.service.ts'
import { maxVisibilityBelow } from './visibility.ts'

export interface ImportRequest {
  file: LargeUpload
  path: string
  /** Id or full path; the user's own namespace by default. */
  namespace?: string | undefined
  /** Whether to replace an existing project with this path once the import has finished. */
  overwrite: boolean
  /** Settings that override those of the archive. */
  overrides: Partial<ProjectSettings>
}

/** Throws 404 for a namespace that the user isn't a member of, 403 if they may not overwrite, 400 if the project can't be created. */
export async function startArchiveImport(app: App, user: User, request: ImportRequest): Promise<LocatedProject> {
  const { file, path, overrides } = request
  const place = await placeOf(app, user, request.namespace)
  const replaced = request.overwrite ? await findReplaceable(app, user, `${place.full_path}/${path}`, '403 Forbidden') : null
  // Checked before gigabytes are stored in vain; the unique index decides in the end.
  if (!replaced && (await isRouteTaken(app.db, `${place.full_path}/${path}`, null))) throw invalid('Name has already been taken')
  const own_path = replaced ? `${path.slice(0, 200)}-${randomBytes(8).toString('hex')}` : path
  const visibility = maxVisibilityBelow('private', await readSettings(app.db), place)
  const key = await storeDraft(app, 'imports', file.content)
  try {
    const input = { name: own_path, path: own_path, ...(visibility && { visibility }) }
    return await createProject(app, user, place, input, {
      columns: { import_status: 'scheduled' },
      async begin(tx, project_id) {
        if (!(await refer(tx, key))) throw new Failure('timed_out', 'It took too long to store the archive.')
        const replaces_path = replaced ? path : null
        await insertImport(tx, { project_id, user_id: user.id, store_key: key, overrides: JSON.stringify(overrides), replaces_path })
        await enqueue(tx, importArchiveJob, { project_id })
      },
    })
  } catch (error) {
    // A rejected request has inserted no row, so its archive can be removed at once instead of after a day.
    if (error instanceof Failure && /^(invalid|limit_reached)$/.test(error.code)) await abandon(app.db, key)
    throw error instanceof Failure ? asSentence(error) : error
  }
}

async function placeOf(app: App, user: User, namespace: string | undefined): Promise<Place> {
  if (namespace === undefined) return namespaceFor(app, user, undefined)
  const id = asId(namespace)
  const found = await findNamespace(app.db, id === null ? { path: namespace } : { id })
  const hasPart = found && (user.admin || found.owner_id === user.id || (await levelInGroup(app.db, found.id, user)) > 0)
  if (!found || !hasPart) throw notFound('Namespace')
  if (!(await canCreateIn(app, user, found))) throw invalid('Namespace is not valid')
  return found
}

/** Clients of this endpoint expect only the first error, as a sentence. */
function asSentence(failure: Failure): Failure {
  const { message } = failure.body as { message?: unknown }
  if (failure.code === 'limit_reached') return invalid(failure.message, failure)
  if (typeof message !== 'object' || message === null) return failure
  const [field = '', [fieldError = ''] = []] = Object.entries(message as Record<string, string[]>)[0] ?? []
  return invalid(`${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${fieldError}`, failure)
}
