/** SQL for comments on personal snippets. */
import type { Insertable, Updateable } from 'kysely'
import { isNotByBanned, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { SnippetComment, SnippetCommentTable } from '../../../db/tables.ts'

/** The comments that the viewer, who sees the snippet, can see: the oldest first. Two statements. */
export function listComments(db: Db, snippetId: number, viewer: Viewer, page: PageOf): Promise<{ rows: SnippetComment[]; total: number }> {
  return paginate(visibleComments(db, viewer).where('snippet_id', '=', snippetId).orderBy('id'), page)
}

/** How many of them come before this one. */
export async function countCommentsBefore(
  db: Db,
  { snippet_id, id }: Pick<SnippetComment, 'snippet_id' | 'id'>,
  viewer: Viewer,
): Promise<number> {
  const found = await visibleComments(db, viewer)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('number'))
    .where('snippet_id', '=', snippet_id)
    .where('id', '<', id)
    .executeTakeFirstOrThrow()
  return Number(found.number)
}

export async function visibleComment(db: Db, snippetId: number, id: number, viewer: Viewer): Promise<SnippetComment | null> {
  return (await visibleComments(db, viewer).where('snippet_id', '=', snippetId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Null if it was deleted, or if its author was banned. */
export async function shownComment(db: Db, id: number): Promise<SnippetComment | null> {
  return (await visibleComments(db, null).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Everybody who commented on the snippet. */
export async function commentersOn(db: Db, snippetId: number): Promise<number[]> {
  const found = await db.selectFrom('snippet_comments').select('author_id').distinct().where('snippet_id', '=', snippetId).execute()
  return found.map(({ author_id }) => author_id)
}

function visibleComments(db: Db, viewer: Viewer) {
  return db.selectFrom('snippet_comments').selectAll().where(isNotByBanned('snippet_comments.author_id', viewer))
}

export function insertComment(tx: Tx, row: Insertable<SnippetCommentTable>): Promise<SnippetComment> {
  return tx.insertInto('snippet_comments').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it was deleted meanwhile. */
export async function updateComment(tx: Tx, id: number, change: Updateable<SnippetCommentTable>): Promise<SnippetComment | null> {
  return (await tx.updateTable('snippet_comments').set(change).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** Whether it still existed. */
export async function deleteComment(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('snippet_comments').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Adds to the number of comments of a snippet. Whether the snippet still exists. */
export async function countComments(tx: Tx, snippetId: number, by: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('snippets')
    .set((eb) => ({ user_notes_count: eb('user_notes_count', '+', by) }))
    .where('id', '=', snippetId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The snippets that somebody commented on, with the number of their comments. */
export async function countCommentsBy(tx: Tx, authorId: number): Promise<Array<{ snippet_id: number; number: number }>> {
  const found = await tx
    .selectFrom('snippet_comments')
    .select((eb) => ['snippet_id', eb.fn.countAll<number>().as('number')])
    .where('author_id', '=', authorId)
    .groupBy('snippet_id')
    .orderBy('snippet_id')
    .execute()
  return found.map(({ snippet_id, number }) => ({ snippet_id, number: Number(number) }))
}

export async function deleteCommentsBy(tx: Tx, authorId: number): Promise<void> {
  await tx.deleteFrom('snippet_comments').where('author_id', '=', authorId).execute()
}

export async function moveComments(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('snippet_comments').set({ author_id: to }).where('author_id', '=', from).execute()
}
