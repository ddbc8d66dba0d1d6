/** Uploads the archive of a project to the URL that was given with the request. */
import { findProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import { send } from '../../../outgoing/send.ts'
import type { Target } from '../../../outgoing/ssrf-guard.ts'
import { acceptTarget, locateTarget } from '../../instance/targets.ts'
import { abandon } from '../../storage/object-storage/object-storage.ts'
import { deleteExport, findExport, lockExport, updateExport } from './exports.queries.ts'

export interface ExportUpload {
  target: Target
  method: 'PUT' | 'POST'
  /** Id of the user. */
  asked_by: number
}

export interface ExportRequest {
  /** Overrides the project's description. */
  description?: string | undefined
  upload?: ExportUpload | undefined
}

export interface Sending {
  project_id: number
  upload: ExportUpload
  /** The archive to remove after the upload. */
  store_key: string
}

/** Throws 400 if the URL or the method isn't allowed. */
export async function acceptUpload(app: App, { id: asked_by }: User, url: string, http_method = 'PUT'): Promise<ExportUpload> {
  const method = http_method.toUpperCase()
  if (method !== 'PUT' && method !== 'POST') throw invalid({ http_method: ['invalid. Only PUT and POST methods allowed.'] })
  return { target: await acceptTarget(app, 'url', url), method, asked_by }
}

/** Checks the rights of the user again when the upload runs. Null if they may no longer export; `addresses`: with those of members. */
export async function whatTheyMayHave(app: App, project_id: number, { asked_by }: ExportUpload): Promise<{ addresses: boolean } | null> {
  const user = await findUser(app.db, String(asked_by))
  const access = user && mayAct(user) ? await findProject(app.db, String(project_id), user).catch(nullIfMissing) : null
  return user && access && may('export_project', access.level) ? { addresses: user.admin } : null
}

const deadline_ms = 6 * 60 * 60 * 1000

/**
 * Tries the upload once, if the user who asked may still export the project. Afterwards the archive is removed; after a failure it can be
 * downloaded. If there is a newer archive by then, that one is uploaded, and kept.
 */
export async function sendExport(app: App, { project_id, upload, store_key: announced }: Sending, stopping?: AbortSignal): Promise<void> {
  const found = await findExport(app.db, project_id)
  const { store_key, size } = found ?? { store_key: null, size: null }
  if (store_key === null || size === null) return
  const allowed = await whatTheyMayHave(app, project_id, upload)
  // A newer one may have been created for an administrator since.
  if (!allowed || (found?.has_addresses && !allowed.addresses)) return endSending(app, project_id, announced, false)
  try {
    const located = await locateTarget(app, upload.target)
    await send(located, { method: upload.method, body: await app.store.open(store_key), size, deadline_ms, signal: stopping })
  } catch (error) {
    if (stopping?.aborted) throw error
    app.log.warn({ err: error, project_id }, 'export not uploaded')
    return endSending(app, project_id, announced, false)
  }
  await endSending(app, project_id, announced, true)
}

/** Changes nothing if another archive has been requested or created since. */
function endSending(app: App, project_id: number, store_key: string, sent: boolean): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const found = await lockExport(tx, project_id)
    if (found?.state !== 'sending' || found.store_key !== store_key) return
    if (!sent) return updateExport(tx, project_id, { state: 'finished' })
    await abandon(tx, store_key)
    await deleteExport(tx, project_id)
  })
}
