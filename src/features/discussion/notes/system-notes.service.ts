/** Writes system notes. They publish nothing, count as no comment, and don't touch what they are on. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { BodilessNote, Instant, Note } from '../../../db/tables.ts'
import { type NoteableIdentity, noteTargetOf, type Target } from '../noteables/noteables.ts'
import { insertNotes } from './notes.queries.ts'
import { newDiscussionId, placeIn } from './notes.service.ts'
import type { SystemText } from './system-notes.ts'

export interface NewSystemNote extends SystemText {
  noteable: NoteableIdentity
  author_id: number
  /** Now, unless given. */
  at?: Instant
  /** What it tells of beside its noteable: readers who can't see that don't see the note. */
  about?: Target | { project_id: number } | null
  /** A note of the discussion in which it stands; one of its own otherwise. */
  discussion?: BodilessNote
}

/** One statement, however many there are. */
export function insertSystemNotes(tx: Tx, notes: NewSystemNote[]): Promise<Note[]> {
  return insertNotes(tx, notes.map(rowOf))
}

export async function insertSystemNote(tx: Tx, note: NewSystemNote): Promise<Note> {
  const [inserted] = await insertSystemNotes(tx, [note])
  return inserted as Note
}

function rowOf({ noteable, author_id, action, body, about = null, at = now(), discussion }: NewSystemNote) {
  return {
    ...noteTargetOf(noteable),
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
  const project_id = about && 'project_id' in about ? about.project_id : null
  const target: Target = about && !('project_id' in about) ? about : {}
  return {
    about_issue_id: target.issue_id ?? null,
    about_merge_request_id: target.merge_request_id ?? null,
    about_project_id: project_id,
  }
}
