/** A text whose references have consequences. */
import type { Instant, Note, NoteableRow } from '../../../db/tables.ts'
import type { KnownActor } from '../../../domain-events/actor.ts'

/** A text that was written or changed. */
export interface Written {
  on: NoteableRow
  /** The note that contains the text; null for title and description. */
  note: Note | null
  author_id: number
  /** The author with their access, if that is known. */
  actor?: KnownActor | undefined
  text: string
  /** The previous text; null for a new one. */
  before: string | null
  at: Instant
}
