/** Helpers for reading issues and merge requests into archives. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

/** A line, with the key of its row for the next page. */
export type PlanningRow = Record<string, unknown> & {
  row_id: number
  /** For rows whose key has two columns. */
  row_second?: number
}

/** The next lines of the project, in the order of their rows. */
export type Read = (db: Db, project_id: number, after: number, limit: number, afterSecond: number) => Promise<PlanningRow[]>

/** The ids of the project's issues, for queries of what belongs to them. */
export function issuesOf(db: Db, project_id: number) {
  return db.selectFrom('issues').select('issues.id').where('issues.project_id', '=', project_id)
}

/** Ids of the merge requests into the project, in the same form. */
export function mergeRequestsOf(db: Db, project_id: number) {
  return db.selectFrom('merge_requests').select('merge_requests.id').where('merge_requests.project_id', '=', project_id)
}

/** Ids of its snippets. */
export function snippetsOf(db: Db, project_id: number) {
  return db.selectFrom('snippets').select('snippets.id').where('snippets.project_id', '=', project_id)
}

interface Naming {
  table: `${'issue' | 'merge_request'}_${'assignees' | 'mentions' | 'labels'}` | 'merge_request_closes'
  by: 'issue_id' | 'merge_request_id'
  column: 'user_id' | 'label_id' | 'issue_id'
}

/** The ids that rows of a table refer to, by the id of the referring row. */
export async function namedBy(db: Db, { table, by, column }: Naming, ids: number[]): Promise<(id: number) => number[]> {
  const rows = await db
    .selectFrom(table as 'issue_assignees')
    .select([`${by as 'issue_id'} as by`, `${column as 'user_id'} as named`])
    .where(by as 'issue_id', 'in', ids)
    // Users mentioned only in internal notes must not become known to users who can't read these.
    .$if(table.endsWith('_mentions'), (query) => query.where(sql.ref('internal'), '=', sql.lit(false)))
    .orderBy(by as 'issue_id')
    .orderBy(column as 'user_id')
    .execute()
  const groups = new Map<number, number[]>()
  for (const { by: id, named } of rows) {
    const group = groups.get(id)
    if (group) group.push(named)
    else groups.set(id, [named])
  }
  return (id) => groups.get(id) ?? []
}
