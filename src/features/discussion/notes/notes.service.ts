/** Rules of notes: who can see, write, edit and delete them, and which events are published. */

import { randomBytes } from 'node:crypto'
import { isMember } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BodilessNote, Instant, Note, NoteableRow, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, invalid, notFound } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { columnsOf, keyOf, kindOf, type Noteable } from '../../noteable-kinds.ts'
import { insertSuggestions, type NewSuggestion, type Place, replaceSuggestions } from '../../review/diff-notes/diff-notes.ts'
import {
  countNote,
  deleteNote,
  insertNote,
  lockNote,
  noteById,
  openingOfDiscussion,
  passOnOpening,
  touchNoteable,
  updateNote,
  visibleNote,
} from './notes.queries.ts'

/** In characters. */
export const maxNote_chars = 1_048_576

export interface NewNote {
  body: string
  /** Opens a discussion, or replies in the one with this id; otherwise a single note. */
  discussion?: 'new' | { id: string } | undefined
  /** Internal notes are visible from reporter up. A reply is as internal as its discussion. */
  internal?: boolean | undefined
  /** Now by default. */
  created_at?: Instant | undefined
  /** The place on a diff, for a note that opens a discussion there. */
  place?: NotePlace | undefined
}

/** A validated position, and the lines that suggestions in the body replace. */
export interface NotePlace extends Place {
  suggestions: NewSuggestion[]
}

/** Throws 404 if the viewer can't see it, whether or not it exists. */
export async function findNote(db: Db, noteable: Noteable, viewer: Viewer, id: number): Promise<Note> {
  const note = await visibleNote(db, noteable, viewer, id)
  if (!note) throw notFound('Note')
  return note
}

/** The first note of a discussion that the viewer can see. Throws 404 if there is none. */
export async function findOpening(db: Db, noteable: Noteable, viewer: Viewer, id: string): Promise<Note> {
  const opening = discussionId.test(id) ? await openingOfDiscussion(db, noteable, viewer, id) : null
  if (!opening) throw notFound('Discussion')
  return opening
}

/** Whether the viewer may write, edit and delete notes there: if the discussion is locked, only members may. */
export function canDiscuss({ row, level }: Pick<Noteable, 'row' | 'level'>): boolean {
  return row.discussion_locked !== true || isMember(level)
}

/** Whether the viewer may edit and delete a note: its author and maintainers may. */
export function canChangeNote(noteable: Pick<Noteable, 'row' | 'level'>, note: Note, viewer: Viewer): boolean {
  if (note.system || viewer === null || !canDiscuss(noteable)) return false
  return note.author_id === viewer.id || may('edit_all_notes', noteable.level)
}

/**
 * Writes a note on something that the author can see, with everything that follows from it. Throws 400 for an invalid body or a reply to a
 * system note, 403 if the discussion is locked for them, 404 if the noteable or the discussion doesn't exist.
 */
export async function createNoteIn(tx: Tx, author: User, noteable: Noteable, request: NewNote): Promise<Note> {
  const { body, discussion, place, ...fields } = request
  assertBody(body)
  const at = now()
  // Read before the noteable is locked, to know what to count, and again afterwards, since it may have been deleted.
  const replied = typeof discussion === 'object' ? await openingOf(tx, noteable, author, discussion.id) : null
  const internal = replied?.internal ?? fields.internal ?? false
  const counted = await countNote(tx, noteable, { internal, by: 1, at })
  if (!counted) throw notFound(kindOf(noteable).title)
  if (!canDiscuss(counted)) throw forbidden()
  const opening = replied && (await openingOf(tx, noteable, author, replied.discussion_id))
  const created_at = fields.created_at ?? at
  const note = await insertNote(tx, {
    ...columnsOf(keyOf(noteable)),
    project_id: noteable.project.id,
    author_id: author.id,
    body,
    type: typeOf(request),
    discussion_id: newDiscussionId(),
    ...(place && placeColumns(place)),
    ...(opening && placeIn(opening)),
    internal,
    created_at,
    updated_at: created_at,
  })
  await insertSuggestions(tx, note.id, place?.suggestions ?? [])
  const { project, level } = noteable
  await publish(tx, { type: 'note_created', note, noteable: counted, actor_id: author.id, actor: { user: author, project, level }, at })
  return note
}

function typeOf({ discussion, place }: NewNote): Note['type'] {
  if (place) return 'DiffNote'
  return discussion === undefined ? null : 'DiscussionNote'
}

/** Columns that every note shares with the note that opened its discussion. */
export function placeIn(opening: BodilessNote) {
  const { type, discussion_id, ...place } = opening
  return { type, discussion_id, opens_discussion: false, ...placeColumns(place) }
}

function placeColumns({ original_position, position, line_code, outdated_by, commit_oid }: Pick<Note, keyof Place>) {
  return { original_position, position, line_code, outdated_by, commit_oid }
}

/** Throws 400 for a system note: it takes no replies. */
export function assertTakesReplies({ system }: Note): void {
  if (system) throw invalid('Discussion is an individual note.')
}

/** The note that a reply answers. A single note becomes a discussion with the first reply to it. */
async function openingOf(tx: Tx, noteable: Noteable, viewer: Viewer, discussionId: string): Promise<Note> {
  const first = await findOpening(tx, noteable, viewer, discussionId)
  assertTakesReplies(first)
  if (first.type !== null) return first
  if (!(await lockNote(tx, first.id))) throw notFound('Discussion')
  return updateNote(tx, first.id, { type: 'DiscussionNote' })
}

/**
 * Changes the body if it differs, and with it its suggestions and the noteable's time of change. Throws 400 for an invalid body, 404 if the
 * note was deleted meanwhile.
 */
export async function changeNoteIn(
  tx: Tx,
  editor: User,
  noteable: NoteableRow,
  id: number,
  body: string,
  { at = now(), suggestions = [], replacing }: { at?: Instant; suggestions?: NewSuggestion[]; replacing?: string | undefined } = {},
): Promise<Note> {
  assertBody(body)
  const known = await noteById(tx, id)
  if (known?.body === body) return known
  // The noteable is locked before the note, as everywhere.
  const touched = known && (await touchNoteable(tx, noteable, known.internal ? null : at))
  const before = touched && (await lockNote(tx, id))
  if (!before) throw notFound('Note')
  if (replacing !== undefined && before.body !== replacing) throw new Failure('conflict', 'The comment was changed meanwhile')
  const note = await updateNote(tx, id, { body, last_edited_by_id: editor.id, updated_at: at })
  if (note.position !== null) await replaceSuggestions(tx, id, suggestions)
  await publish(tx, { type: 'note_changed', note, noteable: touched, before, actor_id: editor.id, at })
  return note
}

/** Deletes a user's note; replies are kept. Throws 404 if it was already deleted. */
export async function removeNoteIn(tx: Tx, actor: User, noteable: Noteable, id: number): Promise<void> {
  const known = await noteById(tx, id)
  if (known) await countNote(tx, noteable, { internal: known.internal, by: -1, at: null })
  const note = known && (await lockNote(tx, id))
  if (!note) throw notFound('Note')
  await publish(tx, { type: 'note_removed', note, actor_id: actor.id, at: now() })
  await deleteNote(tx, id)
  if (note.opens_discussion) await passOnOpening(tx, note)
}

const discussionId = /^[0-9a-f]{40}$/

/** A new id for a discussion: 40 hexadecimal digits, as clients know them. */
export function newDiscussionId(): string {
  return randomBytes(20).toString('hex')
}

function assertBody(body: string): void {
  assertValid({ note: blankError(body) ?? lengthError(body, maxNote_chars) })
}
