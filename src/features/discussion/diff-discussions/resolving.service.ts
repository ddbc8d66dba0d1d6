/** Rules of resolving discussions on merge requests (spec 4.6). */
import { may } from '../../../access/permissions.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, MergeRequest, Note, User } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { lockMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { canDiscuss, insertSystemNote } from '../notes/notes.ts'
import { countResolved, type Resolution, setResolution } from './diff-discussions.queries.ts'

/**
 * Whether a user may resolve and unresolve discussions there: developers and the author of the merge request; for a single note also its
 * author. If the discussion is locked, only members.
 */
export function canResolve(noteable: Noteable, viewer: Viewer, note: Note | null = null): boolean {
  if (viewer === null || !canDiscuss(noteable)) return false
  const isAuthor = noteable.row.author_id === viewer.id || note?.author_id === viewer.id
  return isAuthor || may('resolve_discussions', noteable.level)
}

/** Resolves or unresolves a discussion. Notes that are in that state are not changed. Throws 404 if the merge request was deleted. */
export function resolveDiscussion(app: App, user: User, opening: Note, isResolved: boolean): Promise<void> {
  return inTransaction(app.db, (tx) => resolveDiscussionIn(tx, user, opening, isResolved))
}

/** Changes a single note and leaves the rest of its discussion as it is. */
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

/** Adds a system note to the merge request once everything is resolved. */
export async function noteAllResolved(tx: Tx, row: MergeRequest, author_id: number, at: Instant): Promise<void> {
  const { resolvable, resolved } = await countResolved(tx, row.id)
  if (resolved < resolvable) return
  const text = { action: 'discussion' as const, body: 'resolved all discussions' }
  await insertSystemNote(tx, { ...text, noteable: { kind: 'merge_request', row }, author_id, at })
}

/** The number of notes that block the merge, if all discussions must be resolved. */
export async function unresolvedDiscussions(db: Db, mergeRequestId: number): Promise<number> {
  const { resolvable, resolved } = await countResolved(db, mergeRequestId)
  return resolvable - resolved
}
