/** Notes, award emoji, todos and boards, and the kinds of things that these can be on (a new kind is added here). */
import type { Generated, Selectable } from 'kysely'
import type { Instant, IssuableColumns, NoteableColumns } from './columns.ts'
import type { Issue } from './issues.ts'
import type { MergeRequest } from './merge-requests.ts'
import type { Snippet } from './snippets.ts'

/** A commit of a project. It exists only in git: it has no row or number, and can't be closed or locked. */
export interface DiscussedCommit {
  id: null
  iid: null
  oid: string
  project_id: number
  author_id: null
  discussion_locked: null
}

/** A snippet of a project. It can't be closed or locked, and its id is its number. */
export type DiscussedSnippet = Snippet & { iid: null; project_id: number; discussion_locked: null }

export interface NoteableRows {
  issue: Issue
  merge_request: MergeRequest
  snippet: DiscussedSnippet
  commit: DiscussedCommit
}

export type NoteableName = keyof NoteableRows
type NameIn<Column> = Column extends `${infer Name}_id` ? Name : never
/** Kinds with numbers, labels, assignees, subscribers and a state. */
export type IssuableName = NameIn<keyof IssuableColumns>
/** Kinds with rows of their own, including counts of votes. */
export type StoredName = NameIn<keyof NoteableColumns>
export type StoredTable = `${StoredName}s`

type AnyRow = { [K in NoteableName]: { kind: K; row: NoteableRows[K] } }[NoteableName]
/** A value of one of these kinds. */
export type NoteableRow<N extends NoteableName = NoteableName> = Extract<AnyRow, { kind: N }>

type AnyKey = { [K in StoredName]: { kind: K; id: number } }[StoredName] | { kind: 'commit'; oid: string; project_id: number }
/** The columns by which rows of notes, todos and emoji refer to one of these kinds. */
export type NoteableKey<N extends NoteableName = NoteableName> = Extract<AnyKey, { kind: N }>

export interface NoteTable extends NoteableColumns {
  id: Generated<number>
  project_id: number
  author_id: number
  /** The commit of the project that the note is on. */
  commit_oid: string | null
  /** Notes with the same id are replies to each other. */
  discussion_id: string
  /** Whether it is the first of its discussion. */
  opens_discussion: Generated<boolean>
  /** Null for a single note. */
  type: 'DiscussionNote' | 'DiffNote' | null
  body: string
  /** Whether the server wrote it, to record a change. */
  system: Generated<boolean>
  system_action: string | null
  /** The issue that a system note mentions: the note is shown only to users who can see that issue, and is deleted with it. */
  about_issue_id: number | null
  /** The project whose code a system note mentions, with the same effect. */
  about_project_id: number | null
  about_merge_request_id: number | null
  about_snippet_id: number | null
  /** Seen by reporters alone. */
  internal: Generated<boolean>
  /** The file and line of a note on a diff, in the format of the API. */
  line_code: string | null
  /** JSON: where it was written, and where that line is in the newest version. */
  original_position: string | null
  position: string | null
  /** JSON: the change that removed its line from the diff, which may be `null` if nothing shows it. Null while the line exists. */
  outdated_by: string | null
  resolved_at: Instant | null
  resolved_by_id: number | null
  /** Whether it was resolved because a push changed its lines. */
  resolved_by_push: Generated<boolean>
  last_edited_by_id: number | null
  created_at: Instant
  updated_at: Instant
}

/** For queries that don't read the body, or read only a part of it. */
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
  about_snippet_id: true,
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

export interface AwardEmojiTable extends NoteableColumns {
  id: Generated<number>
  user_id: number
  name: string
  note_id: number | null
  /** A comment on a personal snippet. */
  snippet_comment_id: number | null
  /** For votes of the Ghost User, the id of the deleted user, so that every vote is kept; otherwise 0. */
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
  | 'merge_train_removed'
  | 'directly_addressed'

export interface TodoTable extends IssuableColumns {
  id: Generated<number>
  user_id: number
  project_id: number
  author_id: number
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
  /** Whether pages hide the column of open issues without a list. */
  hide_backlog_list: Generated<boolean>
  hide_closed_list: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

export interface BoardListTable {
  id: Generated<number>
  board_id: number
  label_id: number
  /** Ascending; deleted labels leave gaps. */
  position: number
  created_at: Instant
  updated_at: Instant
}

export type AwardEmoji = Selectable<AwardEmojiTable>
export type Note = Selectable<NoteTable>
/** A note without its body. */
export type BodilessNote = Omit<Note, 'body'>
export type Todo = Selectable<TodoTable>
export type Board = Selectable<BoardTable>
export type BoardList = Selectable<BoardListTable>
