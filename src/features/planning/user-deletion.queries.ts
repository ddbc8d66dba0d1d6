/** SQL for what a deleted user leaves in planning: each table that names a user and outlives them. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Note } from '../../db/tables.ts'

/** The issues and notes they wrote, and what says that they edited or resolved others. */
export async function moveIssues(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('issues').set({ author_id: to }).where('author_id', '=', from).execute()
  await tx.updateTable('notes').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Several awards of one emoji may be the Ghost User's: each is of another deleted user. */
export async function moveAwards(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('award_emoji').set({ user_id: to, left_by_id: from }).where('user_id', '=', from).execute()
}

/** The todos of others that they caused. */
export async function moveTodos(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('todos').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** What is recorded of them with issues that stay. Who closed an issue is shown as long as the account is there. */
export async function moveRecords(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('issues').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute()
  await tx.updateTable('notes').set({ last_edited_by_id: to }).where('last_edited_by_id', '=', from).execute()
  await tx.updateTable('notes').set({ resolved_by_id: to }).where('resolved_by_id', '=', from).execute()
  for (const table of ['time_logs', 'label_events', 'milestone_events', 'state_events'] as const)
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
}

export async function issueIdsOf(tx: Tx, authorId: number): Promise<number[]> {
  const found = await tx.selectFrom('issues').select('id').where('author_id', '=', authorId).orderBy('id').execute()
  return found.map(({ id }) => id)
}

export function notesOf(tx: Tx, authorId: number): Promise<Note[]> {
  return tx.selectFrom('notes').selectAll().where('author_id', '=', authorId).orderBy('id').execute()
}

/** The issues that they voted on. */
export async function votedIssueIds(tx: Tx, userId: number): Promise<number[]> {
  const found = await tx
    .selectFrom('award_emoji')
    .select('issue_id')
    .where('user_id', '=', userId)
    .where('name', 'in', ['thumbsup', 'thumbsdown'])
    .execute()
  return found.flatMap(({ issue_id }) => issue_id ?? [])
}

/** A discussion whose first note goes is opened by the next one. */
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
      // An issue that has moved and its copy have discussions of the same ids.
      .groupBy(['issue_id', 'discussion_id'])
    await tx.updateTable('notes').set({ opens_discussion: true }).where('id', 'in', next).execute()
  }
}

export async function deleteTodosBy(tx: Tx, authorId: number): Promise<void> {
  await tx.deleteFrom('todos').where('author_id', '=', authorId).execute()
}

/** Counts the notes and votes of these issues again, leaving out those of the user. */
export async function countVotesAndNotes(tx: Tx, issueIds: number[], withoutId: number): Promise<void> {
  const votes = (name: string) =>
    sql<number>`(select count(*) from award_emoji where award_emoji.issue_id = issues.id and name = ${name} and user_id <> ${withoutId})`
  const notes = sql<number>`(select count(*) from notes where notes.issue_id = issues.id and notes.${sql.ref('system')} = ${sql.lit(false)})`
  for (let start = 0; start < issueIds.length; start += batch)
    await tx
      .updateTable('issues')
      .set({ upvotes: votes('thumbsup'), downvotes: votes('thumbsdown'), user_notes_count: notes })
      .where('id', 'in', issueIds.slice(start, start + batch))
      .execute()
}

/** Ids in one statement: engines limit how many it may have. */
const batch = 1000
