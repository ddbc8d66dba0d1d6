/** SQL for merge requests between projects. */
import type { Db } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'

/** Open merge requests from a project into others. */
export function openIntoOthers(db: Db, project_id: number): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', project_id)
    .where('project_id', '!=', project_id)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute()
}
