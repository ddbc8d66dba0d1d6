/** SQL for the journal of pushes, and for the activity events it needs. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, PushIntent } from '../../../db/tables.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'

/** The refs of a project or of a wiki. */
export type IntentOwner = { project_id: number } | { wiki_id: number }

export type NewIntent = IntentOwner & {
  user_id: number
  changes: RefChange[]
  /** Sealed (`pusher.ts`). */
  push_options?: string | null
}

/** @param intent `process` is the one that handles the push (`program/process-identity.ts`) */
export async function insertIntent(db: Db, intent: NewIntent & { process: string }): Promise<number> {
  const row = { ...intent, changes: JSON.stringify(intent.changes), created_at: now() }
  const { id } = await db.insertInto('push_intents').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** False if another transaction has already deleted it. */
export async function deleteIntent(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('push_intents').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function findIntent(db: Db, id: number): Promise<PushIntent | null> {
  return (await db.selectFrom('push_intents').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Every open intent, oldest first. */
export function listIntents(db: Db): Promise<PushIntent[]> {
  return db.selectFrom('push_intents').selectAll().orderBy('id').execute()
}

/** The open intents of the same project or wiki. */
export function intentsBeside(db: Db, { project_id, wiki_id }: Pick<PushIntent, 'project_id' | 'wiki_id'>): Promise<PushIntent[]> {
  const intents = db.selectFrom('push_intents').selectAll()
  return (project_id === null ? intents.where('wiki_id', '=', wiki_id) : intents.where('project_id', '=', project_id)).execute()
}

/** Rows per statement: engines limit the values. */
const rowsAtOnce = 500

/** Push events of all refs of a project since an instant. */
export function pushEventsSince(db: Db, project_id: number, since: string) {
  return db
    .selectFrom('events')
    .select(['ref', 'before_oid', 'after_oid'])
    .where('project_id', '=', project_id)
    .where('created_at', '>=', since)
    .where('ref', 'is not', null)
    .execute()
}

/** The commit at which the last push up to `at` left a ref; null if there was none, or it deleted the ref. */
export async function pushedTipAt(db: Db, project_id: number, ref: string, at: Instant): Promise<string | null> {
  const last = await db
    .selectFrom('events')
    .select('after_oid')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('action', '=', 'pushed')
    .where('created_at', '<=', at)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return last?.after_oid ?? null
}

export function uncountedEvents(db: Db, project_id: number, limit: number) {
  return db
    .selectFrom('events')
    .select(['id', 'ref', 'before_oid', 'after_oid', 'created_at'])
    .where('project_id', '=', project_id)
    .where('action', '=', 'pushed')
    .where('commit_count', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export interface CountedEvent {
  id: number
  commit_count: number
  commit_title: string | null
}

export async function updateEvents(db: Db, events: CountedEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += rowsAtOnce) {
    const rows = events
      .slice(at, at + rowsAtOnce)
      .map(({ id, commit_count, commit_title }) => sql`(${id}, ${commit_count}, ${commit_title})`)
    // PostgreSQL doesn't infer types of such values, so all except texts are cast.
    await sql`
      with counted (id, commit_count, commit_title) as (values ${sql.join(rows)})
      update events
      set commit_count = cast(counted.commit_count as integer), commit_title = counted.commit_title
      from counted where events.id = cast(counted.id as bigint)`.execute(db)
  }
}

export async function moveIntents(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('push_intents').set({ user_id: to }).where('user_id', '=', from).execute()
}
