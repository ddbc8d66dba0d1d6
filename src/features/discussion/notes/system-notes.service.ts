/** Writes system notes. They publish nothing, don't count as comments, and don't change their noteable. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BodilessNote, Instant, Note, NoteableKey, StoredName } from '../../../db/tables.ts'
import { columnsOf, keyOf, type NamedNoteable } from '../../noteable-kinds.ts'
import { insertNotes } from './notes.queries.ts'
import { newDiscussionId, placeIn } from './notes.service.ts'
import type { SystemText } from './system-notes.ts'

export interface NewSystemNote extends SystemText {
  noteable: NamedNoteable
  author_id: number
  /** Now by default. */
  at?: Instant
  /** The other thing that its text mentions: readers who can't see that don't see the note. */
  about?: NoteableKey<StoredName> | { project_id: number } | null
  /** A note of the discussion in which it stands; one of its own otherwise. */
  discussion?: BodilessNote
}

/** One statement, regardless of their number. */
export function insertSystemNotes(tx: Tx, notes: NewSystemNote[]): Promise<Note[]> {
  return insertNotes(tx, notes.map(rowOf))
}

export async function insertSystemNote(tx: Tx, note: NewSystemNote): Promise<Note> {
  const [inserted] = await insertSystemNotes(tx, [note])
  return inserted as Note
}

function rowOf({ noteable, author_id, action, body, about = null, at = now(), discussion }: NewSystemNote) {
  return {
    ...columnsOf(keyOf(noteable)),
    project_id: noteable.row.project_id,
    author_id,
    body,
    system: true,
    system_action: action,
    internal: discussion?.internal ?? false,
    ...columnsAbout(about),
    ...(discussion ? placeIn(discussion) : { discussion_id: newDiscussionId() }),
    created_at: at,
    updated_at: at,
  }
}

function columnsAbout(about: NewSystemNote['about']) {
  if (!about) return {}
  return 'project_id' in about ? { about_project_id: about.project_id } : { [`about_${about.kind}_id` as const]: about.id }
}
