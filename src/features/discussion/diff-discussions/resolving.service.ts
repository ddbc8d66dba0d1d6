/** The rules of resolving discussions on merge requests (spec 4.6). */
import { may } from '../../../access/permissions.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest, Note, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { lockMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { canDiscuss, insertSystemNote, isNoteResolvable } from '../notes/notes.ts'
import { countResolved, type Resolution, setResolution } from './diff-discussions.queries.ts'

/**
 * Whether somebody may resolve discussions there and take that back: developers and the author of the merge request; of a single note
 * its author, too. Where the discussion is locked, members alone.
 */
export function canResolve(noteable: Noteable, viewer: Viewer, note: Note | null = null): boolean {
  if (viewer === null || !canDiscuss(noteable)) return false
  const isAuthor = noteable.row.author_id === viewer.id || note?.author_id === viewer.id
  return isAuthor || may('resolve_discussions', noteable.level)
}

/** Whether one of the notes can be resolved: then the discussion can. */
export function isResolvable(noteable: Pick<Noteable, 'kind'>, notes: Note[]): boolean {
  return notes.some((note) => isNoteResolvable(noteable, note))
}

/** Resolves a discussion, or opens it again. What is so already stays. Throws 404 where the merge request was deleted. */
export function resolveDiscussion(app: App, user: User, opening: Note, isResolved: boolean): Promise<void> {
  return inTransaction(app.db, (tx) => resolveDiscussionIn(tx, user, opening, isResolved))
}

/** The same of one note. */
export function resolveNote(app: App, user: User, note: Note, isResolved: boolean): Promise<void> {
  return inTransaction(app.db, (tx) => resolveDiscussionIn(tx, user, note, isResolved, note.id))
}

export async function resolveDiscussionIn(
  tx: Tx,
  { id: actorId }: Pick<User, 'id'>,
  note: Pick<Note, 'merge_request_id' | 'discussion_id'>,
  isResolved: boolean,
  noteId?: number,
  at: Instant = now(),
): Promise<void> {
  const merge_request = await lockMergeRequest(tx, note.merge_request_id ?? 0)
  if (!merge_request) throw notFound('Merge Request')
  const resolution: Resolution = isResolved
    ? { resolved_at: at, resolved_by_id: actorId, resolved_by_push: false }
    : { resolved_at: null, resolved_by_id: null, resolved_by_push: false }
  const isNews = await setResolution(tx, note, resolution, noteId)
  if (isNews && isResolved) await noteAllResolved(tx, merge_request, actorId, at)
}

/** Says so on the merge request once nothing is left to resolve. */
export async function noteAllResolved(tx: Tx, row: MergeRequest, author_id: number, at: Instant): Promise<void> {
  const { resolvable, resolved } = await countResolved(tx, row.id)
  if (resolved < resolvable) return
  const text = { action: 'discussion' as const, body: 'resolved all discussions' }
  await insertSystemNote(tx, { ...text, noteable: { kind: 'merge_request', row }, author_id, at })
}

/** How many notes stand in the way of merging, where all discussions have to be resolved. */
export async function unresolvedDiscussions(db: Db, mergeRequestId: number): Promise<number> {
  const { resolvable, resolved } = await countResolved(db, mergeRequestId)
  return resolvable - resolved
}
