/** A text from whose references something follows. */
import type { Instant, Note, NoteableRow } from '../../../db/tables.ts'
import type { KnownActor } from '../../../domain-events/actor.ts'

/** A text that was written, or changed. */
export interface Written {
  on: NoteableRow
  /** The note with the text; null for title and description. */
  note: Note | null
  author_id: number
  /** The author, where they are known with their access. */
  actor?: KnownActor | undefined
  text: string
  /** What it was; null of a new one. */
  before: string | null
  at: Instant
}
