/** SQL that copies what belongs to an issue to its copy. */
import { type Insertable, sql } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import type { Note, NoteTable } from '../../../db/tables.ts'

/** In the order of their ids. */
export function notesAfter(tx: Tx, issueId: number, after: number, limit: number): Promise<Note[]> {
  return tx.selectFrom('notes').selectAll().where('issue_id', '=', issueId).where('id', '>', after).orderBy('id').limit(limit).execute()
}

/** Returns their ids in the order of the rows; later rows have higher ids. */
export async function insertNotes(tx: Tx, rows: Array<Insertable<NoteTable>>): Promise<number[]> {
  const inserted = await tx.insertInto('notes').values(rows).returning('id').execute()
  return inserted.map(({ id }) => id).sort((one, other) => one - other)
}

/** Copies the emoji of the notes that are keys of the map to the notes that are their values. */
export async function copyAwardsToNotes(tx: Tx, copies: Map<number, number>): Promise<void> {
  const found = await tx
    .selectFrom('award_emoji')
    .select(['user_id', 'name', 'note_id', 'created_at', 'updated_at'])
    .where('note_id', 'in', [...copies.keys()])
    .orderBy('id')
    .execute()
  if (found.length === 0) return
  await tx
    .insertInto('award_emoji')
    .values(found.map((award) => ({ ...award, note_id: copies.get(award.note_id as number) as number })))
    .execute()
}

/** Tables with an `issue_id` whose rows are copied, with the columns that are copied unchanged. */
const copied = {
  award_emoji: ['user_id', 'name', 'created_at', 'updated_at'],
  label_events: ['label_id', 'user_id', 'action', 'created_at'],
  milestone_events: ['milestone_id', 'user_id', 'action', 'created_at'],
  state_events: ['user_id', 'action', 'created_at'],
  time_logs: ['user_id', 'time_spent', 'spent_at', 'created_at'],
  subscriptions: ['user_id', 'subscribed', 'created_at'],
  issue_mentions: ['user_id', 'internal'],
} as const

/** Awards, changes, logged time, subscriptions, mentions and links. */
export async function copyRelations(tx: Tx, fromId: number, toId: number): Promise<void> {
  for (const [table, columns] of Object.entries(copied)) {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const order = sql.ref(table === 'issue_mentions' ? 'user_id' : 'id')
    // Users mentioned in the description are already recorded.
    await sql`insert into ${sql.table(table)} (issue_id, ${names})
      select cast(${toId} as bigint), ${names} from ${sql.table(table)} where issue_id = ${fromId} order by ${order}
      on conflict do nothing`.execute(tx)
  }
  await copyLinks(tx, fromId, toId)
}

async function copyLinks(tx: Tx, fromId: number, toId: number): Promise<void> {
  for (const [own, other] of [
    ['source_id', 'target_id'],
    ['target_id', 'source_id'],
  ] as const) {
    await tx
      .insertInto('issue_links')
      .columns([own, other, 'link_type', 'created_at', 'updated_at'])
      .expression((eb) =>
        eb
          .selectFrom('issue_links')
          .select([sql<number>`cast(${toId} as bigint)`.as('own_id'), other, 'link_type', 'created_at', 'updated_at'])
          .where(own, '=', fromId)
          .orderBy('id'),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
