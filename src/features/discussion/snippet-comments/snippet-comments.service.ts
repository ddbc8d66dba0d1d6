/** Rules of comments on personal snippets. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Snippet, SnippetComment, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { notFound } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { countComments, deleteComment, insertComment, updateComment } from './snippet-comments.queries.ts'

/** Less than of a note, since a page shows whole comments: longer texts are files of a snippet. */
export const maxComment_chars = 100_000

/** Throws 400 for an invalid body, 404 if the snippet was deleted meanwhile. */
export function createComment(app: App, author: User, snippet: Pick<Snippet, 'id'>, body: string): Promise<SnippetComment> {
  assertBody(body)
  const at = now()
  return inTransaction(app.db, async (tx) => {
    if (!(await countComments(tx, snippet.id, 1))) throw notFound('Snippet')
    const comment = await insertComment(tx, { snippet_id: snippet.id, author_id: author.id, body, created_at: at, updated_at: at })
    await publish(tx, { type: 'snippet_commented', comment })
    return comment
  })
}

/** Throws 400 for an invalid body, 404 if it was deleted meanwhile. */
export function changeComment(app: App, editor: Pick<User, 'id'>, { id, body: before }: SnippetComment, body: string): Promise<void> {
  assertBody(body)
  const at = now()
  return inTransaction(app.db, async (tx) => {
    const comment = await updateComment(tx, id, { body, is_edited: true, updated_at: at })
    if (!comment) throw notFound('Comment')
    await publish(tx, { type: 'snippet_comment_changed', comment, actor_id: editor.id, at, before })
  })
}

/** Throws 404 if it was already deleted. */
export function removeComment(app: App, { id, snippet_id }: Pick<SnippetComment, 'id' | 'snippet_id'>): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    // The snippet is locked first, as where a comment is written.
    await countComments(tx, snippet_id, -1)
    if (!(await deleteComment(tx, id))) throw notFound('Comment')
  })
}

function assertBody(body: string): void {
  assertValid({ body: blankError(body) ?? lengthError(body, maxComment_chars) })
}
