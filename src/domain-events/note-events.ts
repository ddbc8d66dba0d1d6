/** Events of notes and award emoji. */
import type { AwardEmoji, Instant, Note, NoteableRow } from '../db/tables.ts'
import type { KnownActor } from './actor.ts'

export type NoteEvent = NoteCreated | NoteChanged | NoteRemoved | EmojiAwarded | EmojiRemoved

interface OfNote {
  note: Note
  actor_id: number
  at: Instant
}

/** A user has written a note. System notes publish nothing, since they follow from another event. */
export interface NoteCreated extends OfNote {
  type: 'note_created'
  noteable: NoteableRow
  actor?: KnownActor
}

export interface NoteChanged extends OfNote {
  type: 'note_changed'
  noteable: NoteableRow
  before: Note
}

/** Published before its row is deleted. */
export interface NoteRemoved extends OfNote {
  type: 'note_removed'
}

interface OfEmoji {
  award: AwardEmoji
  at: Instant
}

export interface EmojiAwarded extends OfEmoji {
  type: 'emoji_awarded'
  /** The emoji is on this, or on a note of it. */
  noteable: NoteableRow
}

export interface EmojiRemoved extends OfEmoji {
  type: 'emoji_removed'
}
