/** Requests exports of projects, which a job creates. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { exportJob } from './exports.jobs.ts'
import { queueExport } from './exports.queries.ts'
import type { ExportRequest } from './send-export.service.ts'

/**
 * Enqueues a new archive, and its upload if requested. An existing archive is kept until then. The last request decides whether the archive
 * contains the email addresses of members, which only administrators get.
 */
export function startExport(app: App, user: User, project_id: number, { description, upload }: ExportRequest): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    await queueExport(tx, project_id, { description: description ?? null, with_addresses: user.admin })
    // A waiting job covers this request, unless this one includes an upload.
    await enqueue(tx, exportJob, { project_id, description, upload }, upload ? {} : { unique_key: `export ${project_id}` })
  })
}
