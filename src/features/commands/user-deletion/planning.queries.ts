/** SQL for the contributions of a deleted user to planning: each table that names a user and outlives them. */
import { sql } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { Note, NoteableColumns, StoredName } from '../../../db/tables.ts'
import { type NoteableKind, storedKinds } from '../../noteable-kinds.ts'

/** The issues, merge requests and notes they wrote. */
export async function moveTexts(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('issues').set({ author_id: to }).where('author_id', '=', from).execute()
  await tx.updateTable('merge_requests').set({ author_id: to }).where('author_id', '=', from).execute()
  await tx.updateTable('notes').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** The Ghost User may have several awards of one emoji: each is of another deleted user. */
export async function moveAwards(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('award_emoji').set({ user_id: to, left_by_id: from }).where('user_id', '=', from).execute()
}

/** Todos of others that they caused. */
export async function moveTodos(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('todos').set({ author_id: to }).where('author_id', '=', from).execute()
}

/**
 * Moves the records of a deleted user to the Ghost User. Who closed an issue is only known while the account exists; who merged is kept.
 */
export async function moveRecords(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('issues').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute()
  await tx.updateTable('merge_requests').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute()
  await tx.updateTable('merge_requests').set({ merged_by_id: to }).where('merged_by_id', '=', from).execute()
  await tx.updateTable('notes').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute()
  await tx.updateTable('notes').set({ resolved_by_id: to }).where('resolved_by_id', '=', from).execute()
  for (const table of ['time_logs', 'label_events', 'milestone_events', 'state_events'] as const)
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
}

export async function idsOf(tx: Tx, table: 'issues' | 'merge_requests', authorId: number): Promise<number[]> {
  const found = await tx.selectFrom(table).select('id').where('author_id', '=', authorId).orderBy('id').execute()
  return found.map(({ id }) => id)
}

export function notesOf(tx: Tx, authorId: number): Promise<Note[]> {
  return tx.selectFrom('notes').selectAll().where('author_id', '=', authorId).orderBy('id').execute()
}

const columnsOfKinds = storedKinds.map(({ name }) => `${name}_id` as const)

/** The things that they voted on. */
export function votedOn(tx: Tx, userId: number): Promise<NoteableColumns[]> {
  return tx
    .selectFrom('award_emoji')
    .select(columnsOfKinds)
    .where('user_id', '=', userId)
    .where('name', 'in', ['thumbsup', 'thumbsdown'])
    .execute()
}

/** If the first note of a discussion is deleted, the next one opens it. */
export async function deleteNotesOf(tx: Tx, authorId: number): Promise<void> {
  const opened = await tx
    .selectFrom('notes')
    .select('discussion_id')
    .where('author_id', '=', authorId)
    .where('opens_discussion', '=', true)
    .execute()
  await tx.deleteFrom('notes').where('author_id', '=', authorId).execute()
  const ids = opened.map(({ discussion_id }) => discussion_id)
  for (let start = 0; start < ids.length; start += batch) {
    const next = tx
      .selectFrom('notes')
      .select((eb) => eb.fn.min('id').as('id'))
      .where('discussion_id', 'in', ids.slice(start, start + batch))
      // A moved issue and its copy have discussions with the same ids.
      .groupBy([...columnsOfKinds, 'commit_oid', 'project_id', 'discussion_id'])
    await tx.updateTable('notes').set({ opens_discussion: true }).where('id', 'in', next).execute()
  }
}

export async function deleteTodosBy(tx: Tx, authorId: number): Promise<void> {
  await tx.deleteFrom('todos').where('author_id', '=', authorId).execute()
}

/** Counts their notes and votes again, without those of the user. */
export async function countVotesAndNotes(
  tx: Tx,
  { name: kind, table }: NoteableKind<StoredName>,
  ids: number[],
  withoutId: number,
): Promise<void> {
  const isOn = (of: string) => sql`${sql.ref(`${of}.${kind}_id`)} = ${sql.ref(`${table}.id`)}`
  const votes = (name: string) =>
    sql<number>`(select count(*) from award_emoji where ${isOn('award_emoji')} and name = ${name} and user_id <> ${withoutId})`
  const notes = sql<number>`(select count(*) from notes where ${isOn('notes')} and notes.${sql.ref('system')} = ${sql.lit(false)} and notes.internal = ${sql.lit(false)})`
  for (let start = 0; start < ids.length; start += batch)
    await tx
      .updateTable(table)
      .set({ upvotes: votes('thumbsup'), downvotes: votes('thumbsdown'), user_notes_count: notes })
      .where('id', 'in', ids.slice(start, start + batch))
      .execute()
}

/** Ids per statement: engines limit them. */
const batch = 1000
