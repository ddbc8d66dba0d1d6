/** Exports of projects: asked for here, made by a job. */
import type { App } from '../../app.ts'
import { inTransaction } from '../../db/database.ts'
import { enqueue } from '../../queue/queue.ts'
import { exportJob } from './exports.jobs.ts'
import { queueExport } from './exports.queries.ts'

/** Has the archive made anew. One that is there stays until then. */
export function startExport(app: App, project_id: number, description: string | undefined): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    await queueExport(tx, project_id, description ?? null)
    await enqueue(tx, exportJob, { project_id }, { unique_key: `export ${project_id}` })
  })
}
