/** SQL for broadcast messages. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BroadcastMessage, BroadcastMessageTable } from '../../../db/tables.ts'

/** The newest first. */
export function listMessages(db: Db, page: PageOf): Promise<{ rows: BroadcastMessage[]; total: number }> {
  return paginate(db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc'), page)
}

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
