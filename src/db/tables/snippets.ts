/** Snippets: texts of people and of projects, with their files. */
import type { Generated, Selectable } from 'kysely'
import type { Instant, Visibility } from './columns.ts'

export interface SnippetTable {
  id: Generated<number>
  /** Null of a personal one. */
  project_id: number | null
  author_id: number
  title: string
  /** The path of its first file. */
  file_name: string
  description: string | null
  visibility: Visibility
  /** The size of all its files together, in bytes. */
  size: Generated<number>
  /** Notes of people, not of the system. */
  user_notes_count: Generated<number>
  upvotes: Generated<number>
  downvotes: Generated<number>
  created_at: Instant
  updated_at: Instant
}

/** A row of its own for each content: lists of snippets read none. */
export interface SnippetFileTable {
  id: Generated<number>
  snippet_id: number
  /** From 0, in the order in which they are shown. */
  position: number
  path: string
  content: string
}

export type Snippet = Selectable<SnippetTable>
export type SnippetFile = Selectable<SnippetFileTable>
