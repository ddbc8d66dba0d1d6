/** Snippets of users and projects, with their files. */
import type { Generated, Selectable } from 'kysely'
import type { Instant, Visibility } from './columns.ts'

export interface SnippetTable {
  id: Generated<number>
  /** Null for a personal snippet. */
  project_id: number | null
  author_id: number
  title: string
  /** The path of the first file. */
  file_name: string
  description: string | null
  visibility: Visibility
  /** Total size of its files in bytes. */
  size: Generated<number>
  /** Excludes system notes. */
  user_notes_count: Generated<number>
  upvotes: Generated<number>
  downvotes: Generated<number>
  created_at: Instant
  updated_at: Instant
}

/** A separate table, so that lists of snippets don't read contents. */
export interface SnippetFileTable {
  id: Generated<number>
  snippet_id: number
  /** From 0, in display order. */
  position: number
  path: string
  content: string
}

/** A comment on a personal snippet; those on snippets of projects are notes. */
export interface SnippetCommentTable {
  id: Generated<number>
  snippet_id: number
  author_id: number
  body: string
  is_edited: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

export type Snippet = Selectable<SnippetTable>
export type SnippetComment = Selectable<SnippetCommentTable>
export type SnippetFile = Selectable<SnippetFileTable>
