/** SQL for what notes are on. */
import type { Db } from '../../../db/database.ts'
import type { Issue, MergeRequest } from '../../../db/tables.ts'

export async function noticedIssue(db: Db, id: number): Promise<Issue | null> {
  return (await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function noticedMergeRequest(db: Db, id: number): Promise<MergeRequest | null> {
  return (await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}
