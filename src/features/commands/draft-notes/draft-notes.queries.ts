/** SQL for comments of reviews that haven't been submitted. */
import { type Insertable, sql, type Updateable } from 'kysely'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { DraftNote, DraftNoteTable } from '../../../db/tables.ts'

function draftsBy(db: Db, merge_request_id: number, author_id: number) {
  return db
    .selectFrom('draft_notes')
    .selectAll()
    .where('merge_request_id', '=', merge_request_id)
    .where('author_id', '=', author_id)
    .orderBy('id')
}

/** Two statements. */
export function listDrafts(db: Db, mergeRequestId: number, authorId: number, page: PageOf) {
  return paginate(draftsBy(db, mergeRequestId, authorId), page)
}

/** All drafts of a user on a merge request, oldest first. */
export function draftsOf(db: Db, mergeRequestId: number, authorId: number): Promise<DraftNote[]> {
  return draftsBy(db, mergeRequestId, authorId).execute()
}

export async function draftById(db: Db, mergeRequestId: number, authorId: number, id: number): Promise<DraftNote | null> {
  return (await draftsBy(db, mergeRequestId, authorId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** The number of the author's other drafts there, and the bytes of their bodies. */
export async function otherDrafts(
  db: Db,
  { merge_request_id, author_id, id = 0 }: Pick<DraftNote, 'merge_request_id' | 'author_id'> & { id?: number },
): Promise<{ count: number; bytes: number }> {
  const found = await db
    .selectFrom('draft_notes')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('count'),
      sql<number | string>`coalesce(sum(octet_length(body)), 0)`.as('bytes'),
    ])
    .where('merge_request_id', '=', merge_request_id)
    .where('author_id', '=', author_id)
    .where('id', '!=', id)
    .executeTakeFirstOrThrow()
  return { count: Number(found.count), bytes: Number(found.bytes) }
}

export function insertDraft(tx: Tx, row: Insertable<DraftNoteTable>): Promise<DraftNote> {
  return tx.insertInto('draft_notes').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it was deleted or submitted meanwhile. */
export async function updateDraft(tx: Tx, id: number, change: Updateable<DraftNoteTable>): Promise<DraftNote | null> {
  return (await tx.updateTable('draft_notes').set(change).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** Deletes drafts, and returns the ids of those that existed, so that nobody else submits them. */
export async function takeDrafts(tx: Tx, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const taken = await tx.deleteFrom('draft_notes').where('id', 'in', ids).returning('id').execute()
  return new Set(taken.map(({ id }) => id))
}
