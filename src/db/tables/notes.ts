/** Notes and award emoji, todos and boards. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** On exactly one of the things that are discussed: a later kind adds its column. */
export interface NoteTable {
  id: Generated<number>
  project_id: number
  author_id: number
  issue_id: number | null
  merge_request_id: number | null
  snippet_id: number | null
  /** The commit of the project that the note is on. */
  commit_oid: string | null
  /** Notes with the same one reply to each other. */
  discussion_id: string
  /** The first of its discussion. */
  opens_discussion: Generated<boolean>
  /** Null of a single note. */
  type: 'DiscussionNote' | 'DiffNote' | null
  body: string
  /** Written by the service, of a change. */
  system: Generated<boolean>
  system_action: string | null
  /** The issue that a system note tells of: the note is for those who can see that one too, and goes with it. */
  about_issue_id: number | null
  /** The project whose code a system note tells of, with the same effect. */
  about_project_id: number | null
  about_merge_request_id: number | null
  /** Seen by reporters alone. */
  internal: Generated<boolean>
  /** The file and the line of a note on a diff, as clients name them. */
  line_code: string | null
  /** JSON: where it was written, and where that line is in the newest version. */
  original_position: string | null
  position: string | null
  /** JSON: the change after which its line is no more in the diff; `null` in it where no place shows that. Null while the line is there. */
  outdated_by: string | null
  resolved_at: Instant | null
  resolved_by_id: number | null
  /** Whether a push has changed its lines, which resolved it. */
  resolved_by_push: Generated<boolean>
  last_edited_by_id: number | null
  created_at: Instant
  updated_at: Instant
}

/** For queries that leave out the body, or read a part of it. */
export const noteColumnsBesidesBody = Object.keys({
  id: true,
  project_id: true,
  author_id: true,
  issue_id: true,
  merge_request_id: true,
  snippet_id: true,
  commit_oid: true,
  discussion_id: true,
  opens_discussion: true,
  type: true,
  system: true,
  system_action: true,
  about_issue_id: true,
  about_project_id: true,
  about_merge_request_id: true,
  internal: true,
  line_code: true,
  original_position: true,
  position: true,
  outdated_by: true,
  resolved_at: true,
  resolved_by_id: true,
  resolved_by_push: true,
  last_edited_by_id: true,
  created_at: true,
  updated_at: true,
} satisfies Record<Exclude<keyof NoteTable, 'body'>, true>).map((column) => `notes.${column as Exclude<keyof NoteTable, 'body'>}` as const)

export interface AwardEmojiTable {
  id: Generated<number>
  user_id: number
  name: string
  issue_id: number | null
  merge_request_id: number | null
  snippet_id: number | null
  note_id: number | null
  /** For votes of the Ghost User the id of the deleted user who gave it, so that every vote stays; otherwise 0. */
  left_by_id: Generated<number>
  created_at: Instant
  updated_at: Instant
}

export type TodoAction =
  | 'assigned'
  | 'review_requested'
  | 'mentioned'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'directly_addressed'

export interface TodoTable {
  id: Generated<number>
  user_id: number
  project_id: number
  author_id: number
  issue_id: number | null
  merge_request_id: number | null
  /** A commit of the project. */
  commit_oid: string | null
  note_id: number | null
  action: TodoAction
  state: Generated<'pending' | 'done'>
  created_at: Instant
  updated_at: Instant
}

/** Belongs to exactly one of a project and a group. */
export interface BoardTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  name: string
  /** Whether pages show no column of open issues without a list. */
  hide_backlog_list: Generated<boolean>
  hide_closed_list: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

export interface BoardListTable {
  id: Generated<number>
  board_id: number
  label_id: number
  /** In ascending order; with gaps where a label was deleted. */
  position: number
  created_at: Instant
  updated_at: Instant
}

export type AwardEmoji = Selectable<AwardEmojiTable>
export type Note = Selectable<NoteTable>
/** A note without its text. */
export type BodilessNote = Omit<Note, 'body'>
export type Todo = Selectable<TodoTable>
export type Board = Selectable<BoardTable>
export type BoardList = Selectable<BoardListTable>
