/** SQL for broadcast messages. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { BroadcastMessage, BroadcastMessageTable } from '../../../db/tables.ts'

/** Newest first. */
export function listMessages(db: Db, page: PageOf): Promise<{ rows: BroadcastMessage[]; total: number }> {
  return paginate(db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc'), page)
}

const hour_ms = 3_600_000
const maxShown = 10

/** Messages to be displayed now, oldest first. */
export async function activeMessages(db: Db): Promise<BroadcastMessage[]> {
  const at = now()
  // Rounded to the hour, so that the rows can be cached: they are the same for all requests within it.
  const hour = new Date(Math.floor(Date.now() / hour_ms) * hour_ms).toISOString()
  const rows = await messagesEndingAfter(db, hour)
  return rows.filter(({ starts_at, ends_at }) => starts_at <= at && at <= ends_at).slice(-maxShown)
}

const messagesEndingAfter = prepared((db: Db, instant: string) =>
  db.selectFrom('broadcast_messages').selectAll().where('ends_at', '>=', instant).orderBy('id').limit(1_000),
)

export async function messageById(db: Db, id: number): Promise<BroadcastMessage | null> {
  return (await db.selectFrom('broadcast_messages').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export function insertMessage(db: Db, row: Insertable<BroadcastMessageTable>): Promise<BroadcastMessage> {
  return db.insertInto('broadcast_messages').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateMessage(db: Db, id: number, change: Updateable<BroadcastMessageTable>): Promise<BroadcastMessage | null> {
  return (
    (await db
      .updateTable('broadcast_messages')
      .set({ ...change, updated_at: now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()) ?? null
  )
}

export async function deleteMessage(db: Db, id: number): Promise<void> {
  await db.deleteFrom('broadcast_messages').where('id', '=', id).execute()
}
