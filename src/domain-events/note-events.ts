/** Events of notes, of comments on personal snippets, and of award emoji. */
import type { AwardEmoji, Instant, Note, NoteableRow, SnippetComment } from '../db/tables.ts'
import type { KnownActor } from './actor.ts'

export type NoteEvent = NoteCreated | NoteChanged | NoteRemoved | SnippetCommented | SnippetCommentChanged | EmojiAwarded | EmojiRemoved

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

/** A user has written a comment on a personal snippet. */
export interface SnippetCommented {
  type: 'snippet_commented'
  comment: SnippetComment
}

export interface SnippetCommentChanged {
  type: 'snippet_comment_changed'
  comment: SnippetComment
  actor_id: number
  at: Instant
  /** Its text before. */
  before: string
}

interface OfEmoji {
  award: AwardEmoji
  at: Instant
}

export interface EmojiAwarded extends OfEmoji {
  type: 'emoji_awarded'
  /** The emoji is on this, or on a note of it; null for personal snippets and comments on them. */
  noteable: NoteableRow | null
}

export interface EmojiRemoved extends OfEmoji {
  type: 'emoji_removed'
}
