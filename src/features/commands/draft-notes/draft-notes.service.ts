/** Rules of reviews: comments are validated when they are written, and all of them appear at once when they are submitted. */
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { DraftNote, MergeRequest, Note, ReviewerState, User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { canResolve, resolveDiscussionIn } from '../../discussion/diff-discussions/diff-discussions.ts'
import { assertTakesReplies, findOpening, maxNote_chars } from '../../discussion/notes/notes.ts'
import type { Noteable } from '../../noteable-kinds.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { type PositionRequest, positionOf } from '../../review/diff-notes/diff-notes.ts'
import { changeMergeRequestIn, setReviewerState } from '../../review/merge-requests/merge-requests.ts'
import { type PreparedNote, placeOf, prepareNote, writeNoteIn } from '../notes/notes.ts'
import { draftById, insertDraft, otherDrafts, takeDrafts, updateDraft } from './draft-notes.queries.ts'

type OnMergeRequest = Noteable<'merge_request'>

export interface DraftRequest {
  note: string
  position?: PositionRequest | null | undefined
  commit_id?: string | null | undefined
  /** The discussion that it replies to. */
  in_reply_to_discussion_id?: string | null | undefined
  /** Whether submitting it resolves that discussion. */
  resolve_discussion?: boolean | undefined
}

/** Maximum per user and merge request: the page of changes and the submission read all of them. */
const maxDrafts = 1_000
const maxDrafts_bytes = 16 * 1024 * 1024

/** Throws 404 if the user has no such draft there. */
export async function findDraft(db: Db, { id: mergeRequestId }: Pick<MergeRequest, 'id'>, user: User, id: number): Promise<DraftNote> {
  const draft = await draftById(db, mergeRequestId, user.id, id)
  if (!draft) throw notFound('Draft Note')
  return draft
}

/** Throws 400 for an invalid text or position, 404 if the discussion doesn't exist. */
export async function addDraft(app: App, author: User, noteable: OnMergeRequest, request: DraftRequest): Promise<DraftNote> {
  const { note, position, commit_id, in_reply_to_discussion_id: discussion_id, resolve_discussion = false } = request
  assertText(note)
  if (discussion_id) assertTakesReplies(await findOpening(app.db, noteable, author, discussion_id))
  const place = position && !discussion_id ? await placeFor(app, author, noteable, { position, commit_id, note }) : null
  const at = now()
  const row = {
    merge_request_id: noteable.row.id,
    author_id: author.id,
    body: note,
    discussion_id: discussion_id || null,
    resolve_discussion,
    ...place,
    created_at: at,
    updated_at: at,
  }
  return inTransaction(app.db, async (tx) => {
    await assertHasRoom(tx, row)
    return insertDraft(tx, row)
  })
}

export async function changeDraft(
  app: App,
  author: User,
  noteable: OnMergeRequest,
  draft: DraftNote,
  { note, position }: Pick<Partial<DraftRequest>, 'note' | 'position'>,
): Promise<DraftNote> {
  if (note !== undefined) assertText(note)
  const commit_id = draft.commit_oid
  const isPlaced = position && draft.discussion_id === null
  const place = isPlaced ? await placeFor(app, author, noteable, { position, commit_id, note: note ?? draft.body }) : null
  const change = { ...place, ...(note !== undefined && { body: note }), updated_at: now() }
  const changed = await inTransaction(app.db, async (tx) => {
    await assertHasRoom(tx, { ...draft, ...change })
    return updateDraft(tx, draft.id, change)
  })
  if (!changed) throw notFound('Draft Note')
  return changed
}

/** Throws 400 if the author's drafts would exceed their maximum number or size. */
async function assertHasRoom(tx: Tx, draft: Pick<DraftNote, 'merge_request_id' | 'author_id' | 'body'> & { id?: number }): Promise<void> {
  const others = await otherDrafts(tx, draft)
  if (others.count >= maxDrafts) throw invalid({ base: [`At most ${maxDrafts} drafts`] })
  const bytes = others.bytes + Buffer.byteLength(draft.body)
  if (bytes > maxDrafts_bytes) throw invalid({ base: [`Drafts of at most ${maxDrafts_bytes / 1024 / 1024} MiB together`] })
}

export async function removeDraft(app: App, { id }: DraftNote): Promise<void> {
  const taken = await inTransaction(app.db, (tx) => takeDrafts(tx, [id]))
  if (taken.size === 0) throw notFound('Draft Note')
}

/** The end of a review, besides its comments. */
export interface Summary {
  note?: string | undefined
  /** Whether the note is internal. */
  internal?: boolean | undefined
  reviewer_state?: Exclude<ReviewerState, 'unreviewed'> | undefined
}

/**
 * Submits these drafts of the author as notes, in order and in one transaction: all or none. Drafts that were already submitted are
 * skipped. Throws as writing a note does.
 */
export async function submitDrafts(
  app: App,
  author: User,
  noteable: OnMergeRequest,
  drafts: DraftNote[],
  { note: body = '', internal, reviewer_state }: Summary = {},
): Promise<Note[]> {
  const prepared: Array<{ draft: DraftNote; note: PreparedNote }> = []
  for (const draft of drafts) prepared.push({ draft, note: await prepareNote(app, author, noteable, requestOf(draft)) })
  const summary = body.trim() === '' ? null : await prepareNote(app, author, noteable, { body, internal })
  return inTransaction(app.db, async (tx) => {
    const taken = await takeDrafts(
      tx,
      drafts.map(({ id }) => id),
    )
    const notes: Note[] = []
    for (const { draft, note } of prepared) {
      if (!taken.has(draft.id)) continue
      const written = await writeNoteIn(tx, app, author, noteable, note)
      if (written.kind === 'note') notes.push(written.note)
      const { discussion_id, resolve_discussion } = draft
      if (discussion_id !== null && resolve_discussion && canResolve(noteable, author))
        await resolveDiscussionIn(tx, author, { merge_request_id: noteable.row.id, discussion_id }, true)
    }
    const written = summary && (await writeNoteIn(tx, app, author, noteable, summary))
    if (written?.kind === 'note') notes.push(written.note)
    if (reviewer_state) await sayOfReview(tx, author, noteable, reviewer_state)
    return notes
  })
}

/** A user who reviews without being asked becomes a reviewer, if they may choose reviewers; the author of the merge request doesn't. */
async function sayOfReview(tx: Tx, author: User, { row, project, level }: OnMergeRequest, state: ReviewerState): Promise<void> {
  if (await setReviewerState(tx, row.id, author.id, state)) return
  if (row.author_id === author.id || !canManageMergeRequests({ level })) return
  const reviewer_ids = [...(await peopleIds(tx, 'merge_request_reviewers', row.id)), author.id]
  await changeMergeRequestIn(tx, { user: author, project, level }, row.id, { reviewer_ids })
  await setReviewerState(tx, row.id, author.id, state)
}

function requestOf({ body, discussion_id, position, commit_oid }: DraftNote) {
  if (discussion_id !== null) return { body, discussion: { id: discussion_id } }
  if (position === null) return { body }
  return { body, discussion: 'new' as const, position: positionOf(position) as PositionRequest, commit_id: commit_oid }
}

async function placeFor(
  app: App,
  author: User,
  noteable: OnMergeRequest,
  { position, commit_id, note }: { position: PositionRequest; commit_id: string | null | undefined; note: string },
) {
  const place = await placeOf(app, author, noteable, { position, commit_id: commit_id || null, text: note })
  return place ? { position: place.original_position, line_code: place.line_code, commit_oid: place.commit_oid } : null
}

function assertText(note: string): void {
  assertValid({ note: blankError(note) ?? lengthError(note, maxNote_chars) })
}
