/** SQL for what mail is about: read again when it is written, for it may be gone. */
import type { Db } from '../../../db/database.ts'
import type { Issue, MergeRequest, Note, User } from '../../../db/tables.ts'

export async function issueById(db: Db, id: number): Promise<Issue | null> {
  return (await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function mergeRequestById(db: Db, id: number): Promise<MergeRequest | null> {
  return (await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function noteById(db: Db, id: number): Promise<Note | null> {
  return (await db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function peopleById(db: Db, ids: number[]): Promise<Map<number, Pick<User, 'id' | 'name' | 'username'>>> {
  const rows = await db.selectFrom('users').select(['id', 'name', 'username']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Open issues that are due on that day: those after `after`, in the order of their ids. */
export async function issuesDue(db: Db, day: string, after: number, limit: number): Promise<Issue[]> {
  const due = db.selectFrom('issues').selectAll().where('due_date', '=', day).where('state', '=', 'opened').where('id', '>', after)
  return due.orderBy('id').limit(limit).execute()
}
