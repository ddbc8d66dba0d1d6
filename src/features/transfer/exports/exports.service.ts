/** Exports of projects: asked for here, made by a job. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { exportJob } from './exports.jobs.ts'
import { queueExport } from './exports.queries.ts'
import type { ExportWish } from './sending.service.ts'

/**
 * Has the archive made anew, and sent on where that is wished. One that is there stays until then. Who asks last decides what it
 * tells: email addresses of members where that is an administrator, otherwise none.
 */
export function startExport(app: App, user: User, project_id: number, { description, upload }: ExportWish): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    await queueExport(tx, project_id, { description: description ?? null, with_addresses: user.admin })
    // One that waits covers this one, unless this one is to be sent.
    await enqueue(tx, exportJob, { project_id, description, upload }, upload ? {} : { unique_key: `export ${project_id}` })
  })
}
