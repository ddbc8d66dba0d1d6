/** SQL for the activity of users: what they did, as the events of projects show it. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { EventTable } from '../../../db/tables.ts'

/** Rows of one statement: an engine takes so many values and no more. */
const rowsAtOnce = 500

export async function insertEvents(db: Db, events: Array<Insertable<EventTable>>): Promise<void> {
  for (let at = 0; at < events.length; at += rowsAtOnce) {
    await db
      .insertInto('events')
      .values(events.slice(at, at + rowsAtOnce))
      .execute()
  }
}

export async function moveEvents(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('events').set({ author_id: to }).where('author_id', '=', from).execute()
}
