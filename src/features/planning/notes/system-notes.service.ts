/** Writes system notes. They publish nothing, count as no comment, and don't touch what they are on. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Issue, Note } from '../../../db/tables.ts'
import { columnOf } from '../noteables/noteables.ts'
import { insertNotes } from './notes.queries.ts'
import { newDiscussionId } from './notes.service.ts'
import type { SystemText } from './system-notes.ts'

export interface NewSystemNote extends SystemText {
  noteable: { kind: 'issue'; row: Pick<Issue, 'id' | 'project_id'> }
  author_id: number
  /** Now, unless given. */
  at?: Instant
  /** What it tells of beside its noteable: readers who can't see that don't see the note. */
  about?: { issue_id: number } | { project_id: number } | null
}

/** One statement, however many there are. */
export function insertSystemNotes(tx: Tx, notes: NewSystemNote[]): Promise<Note[]> {
  return insertNotes(tx, notes.map(rowOf))
}

export async function insertSystemNote(tx: Tx, note: NewSystemNote): Promise<Note> {
  const [inserted] = await insertSystemNotes(tx, [note])
  return inserted as Note
}

function rowOf({ noteable, author_id, action, body, about = null, at = now() }: NewSystemNote) {
  return {
    ...columnOf(noteable as Parameters<typeof columnOf>[0]),
    project_id: noteable.row.project_id,
    author_id,
    body,
    system: true,
    system_action: action,
    about_issue_id: about && 'issue_id' in about ? about.issue_id : null,
    about_project_id: about && 'project_id' in about ? about.project_id : null,
    discussion_id: newDiscussionId(),
    created_at: at,
    updated_at: at,
  }
}
