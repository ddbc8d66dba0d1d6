/** Requests exports of groups, which a job creates, and shows them to those who may have them. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { visibleTo } from '../exports/exports.ts'
import { findGroupExport, type GroupExport, queueGroupExport } from './exports.queries.ts'
import { exportGroupJob } from './group-archives.jobs.ts'

/** As for projects: an existing archive is kept until then, and the last request decides about the addresses of members. */
export function startGroupExport(app: App, user: User, group_id: number): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    await queueGroupExport(tx, group_id, user.admin)
    // A waiting job covers this request.
    await enqueue(tx, exportGroupJob, { group_id }, { unique_key: `export group ${group_id}` })
  })
}

/** The last export, without its archive if the user may not download it. */
export async function groupExportSeenBy(app: App, group_id: number, user: User): Promise<GroupExport | null> {
  return visibleTo(user, await findGroupExport(app.db, group_id))
}
