/** SQL for the activity of users, as the events of projects show it. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { EventTable, Instant } from '../../../db/tables.ts'

/** Rows per statement: engines limit the values. */
const rowsAtOnce = 500

export async function insertEvents(db: Db, events: Array<Insertable<EventTable>>): Promise<void> {
  for (let at = 0; at < events.length; at += rowsAtOnce) {
    await db
      .insertInto('events')
      .values(events.slice(at, at + rowsAtOnce))
      .execute()
  }
}

/** Inserts events about pages of a project's wiki. Existing ones are left out. */
export async function insertWikiEvents(db: Db, events: Array<Insertable<EventTable>>): Promise<void> {
  if (events.length === 0) return
  await db
    .insertInto('events')
    .values(events)
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function moveEvents(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('events').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Deletes the oldest of those before the instant, up to a limit, and returns how many. */
export async function deleteEventsBefore(db: Db, before: Instant, limit: number): Promise<number> {
  const old = db.selectFrom('events').select('id').where('created_at', '<', before).orderBy('created_at').orderBy('id').limit(limit)
  const { numDeletedRows } = await db.deleteFrom('events').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Records activity in the project, but not each time: its row is read and cached more than any other. */
export async function noteActivity(db: Db, project_id: number, at: Instant, ifBefore: Instant): Promise<void> {
  await db
    .updateTable('projects')
    .set({ last_activity_at: at })
    .where('id', '=', project_id)
    .where('last_activity_at', '<', ifBefore)
    .execute()
}

/** Null for the wiki of a group, and for one that was deleted. */
export async function projectOfWiki(db: Db, wiki_id: number): Promise<number | null> {
  const found = await db.selectFrom('wikis').select('project_id').where('id', '=', wiki_id).executeTakeFirst()
  return found?.project_id ?? null
}
