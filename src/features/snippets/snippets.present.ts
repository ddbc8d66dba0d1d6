/** Snippets as JSON. */
import { snippetAddress, snippetFileAddress } from '../../addresses/documents.ts'
import { pageUrl } from '../../addresses/links.ts'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { distinctIds } from '../../db/rows.ts'
import type { Snippet } from '../../db/tables.ts'
import type { Presented } from '../../http/parameters/schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../people/users/users.ts'
import { filePathsOf, pathsOf } from './snippets.queries.ts'
import type { Snippet as SnippetSchema } from './snippets.schema.ts'

/** A snippet with everything that is displayed besides its row. */
export interface DescribedSnippet {
  snippet: Snippet
  author: UserInBrief
  /** Full path of its project; null of a personal one. */
  project_path: string | null
  /** The paths of its files, in order. */
  paths: string[]
}

/** Three statements, regardless of their number. */
export async function describeSnippets(db: Db, snippets: Snippet[]): Promise<DescribedSnippet[]> {
  if (snippets.length === 0) return []
  const authors = await usersInBrief(db, distinctIds(snippets.map(({ author_id }) => author_id)))
  const projects = await pathsOf(db, distinctIds(snippets.map(({ project_id }) => project_id)))
  const files = await filePathsOf(
    db,
    snippets.map(({ id }) => id),
  )
  return snippets.map((snippet) => ({
    snippet,
    author: authors.get(snippet.author_id) as UserInBrief,
    project_path: snippet.project_id === null ? null : (projects.get(snippet.project_id) ?? ''),
    paths: files.get(snippet.id) ?? [],
  }))
}

export function presentSnippet(
  config: Config,
  { snippet, author, project_path, paths }: DescribedSnippet,
): Presented<typeof SnippetSchema> {
  const url = pageUrl(config, snippetAddress(snippet, project_path))
  return {
    id: snippet.id,
    title: snippet.title,
    file_name: snippet.file_name,
    description: snippet.description,
    visibility: snippet.visibility,
    author: presentUserBrief(config, author),
    expires_at: null,
    created_at: snippet.created_at,
    updated_at: snippet.updated_at,
    project_id: snippet.project_id,
    web_url: url,
    raw_url: `${url}/raw`,
    files: paths.map((path) => ({ path, raw_url: snippetFileAddress(url, path) })),
    imported: false,
    imported_from: 'none',
  }
}

export async function presentSnippets(app: App, snippets: Snippet[]): Promise<Array<Presented<typeof SnippetSchema>>> {
  return (await describeSnippets(app.db, snippets)).map((described) => presentSnippet(app.config, described))
}

export async function presentOne(app: App, snippet: Snippet): Promise<Presented<typeof SnippetSchema>> {
  const [presented] = await presentSnippets(app, [snippet])
  return presented as NonNullable<typeof presented>
}
