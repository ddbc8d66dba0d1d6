/** SQL for the log of spam. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { SpamLog, SpamLogTable, User } from '../../../db/tables.ts'

export interface ListedSpamLog extends SpamLog {
  username: string
  name: string
  state: User['state']
}

export async function insertSpamLog(db: Db, row: Insertable<SpamLogTable>): Promise<void> {
  await db.insertInto('spam_logs').values(row).execute()
}

/** The newest first. Two statements. */
export function listSpamLogs(db: Db, page: PageOf): Promise<{ rows: ListedSpamLog[]; total: number }> {
  const query = db
    .selectFrom('spam_logs')
    .innerJoin('users', 'users.id', 'spam_logs.user_id')
    .selectAll('spam_logs')
    .select(['users.username', 'users.name', 'users.state'])
    .orderBy('spam_logs.id', 'desc')
  return paginate(query, page)
}

export async function spamLogById(db: Db, id: number): Promise<SpamLog | null> {
  return (await db.selectFrom('spam_logs').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function deleteSpamLog(db: Db, id: number): Promise<void> {
  await db.deleteFrom('spam_logs').where('id', '=', id).execute()
}

export async function markAsHam(db: Db, id: number): Promise<void> {
  await db.updateTable('spam_logs').set({ submitted_as_ham: true }).where('id', '=', id).execute()
}

/** Its author. */
export async function userById(db: Db, id: number): Promise<Pick<User, 'name' | 'email'> | null> {
  return (await db.selectFrom('users').select(['name', 'email']).where('id', '=', id).executeTakeFirst()) ?? null
}
