/** SQL for snippets. */
import type { Expression, ExpressionBuilder, Insertable, SqlBool, Updateable } from 'kysely'
import type { ProjectAccess } from '../../access/find.ts'
import { withMemberships } from '../../access/memberships.ts'
import { isNotByBanned, snippetsVisibleTo, type Viewer } from '../../access/visible.ts'
import { contains, type Db, lockedRows, type PageOf, type Tx } from '../../db/database.ts'
import { directed, pageOfList, totalOf } from '../../db/list-cache.ts'
import { inTextIndex } from '../../db/search.ts'
import type { Instant, Snippet, SnippetFile, SnippetTable, Tables, Visibility } from '../../db/tables.ts'
import type { InNotes } from '../noteable-kind.ts'

export interface SnippetFilter {
  ids?: number[] | undefined
  author_id?: number | undefined
  project_id?: number | undefined
  /** Only personal snippets. */
  personal?: boolean | undefined
  visibility?: Visibility | undefined
  created_after?: Instant | undefined
  created_before?: Instant | undefined
  /** Only snippets with all words in their title, description or file names, or all of them in the content of one file. */
  search?: { words: string[]; by: 'names' | 'content' } | undefined
}

/** A file without its id. */
export type Content = Pick<SnippetFile, 'path' | 'content'>

function visibleSnippets(db: Db, viewer: Viewer) {
  return db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .where((eb) => snippetsVisibleTo(viewer)(eb as never))
}

function filtered(db: Db, viewer: Viewer, filter: SnippetFilter) {
  const { ids, author_id, project_id, personal, visibility, created_after, created_before, search } = filter
  let query = visibleSnippets(db, viewer)
  if (ids) query = query.where('snippets.id', 'in', ids)
  if (author_id !== undefined) query = query.where('snippets.author_id', '=', author_id)
  if (project_id !== undefined) query = query.where('snippets.project_id', '=', project_id)
  if (personal) query = query.where('snippets.project_id', 'is', null)
  if (visibility !== undefined) query = query.where('snippets.visibility', '=', visibility)
  if (created_after !== undefined) query = query.where('snippets.created_at', '>=', created_after)
  if (created_before !== undefined) query = query.where('snippets.created_at', '<=', created_before)
  if (search) query = query.where((eb) => (search.by === 'names' ? hasNames : hasContent)(db, eb as never, search.words))
  return query
}

type InSnippets = ExpressionBuilder<Tables, 'snippets'>

function hasNames(db: Db, eb: InSnippets, words: string[]) {
  const texts = (word: string) =>
    inTextIndex(db, 'snippets', [word], ['title', 'description'], null) ??
    eb.or([contains('snippets.title', word), contains('snippets.description', word)])
  return eb.and(words.map((word) => eb.or([texts(word), eb('snippets.id', 'in', withFile(db, eb, 'path', [word]))])))
}

function hasContent(db: Db, eb: InSnippets, words: string[]) {
  return eb('snippets.id', 'in', withFile(db, eb, 'content', words))
}

/** Snippets with a file in which the column contains all words. */
function withFile(db: Db, eb: InSnippets, column: 'path' | 'content', words: string[]) {
  const indexed = inTextIndex(db, 'snippet_files', words, [column], null)
  return eb
    .selectFrom('snippet_files')
    .select('snippet_id')
    .where((of) => indexed ?? of.and(words.map((word) => contains(`snippet_files.${column}`, word))))
}

/** The snippets that the viewer can see, newest first: four statements. */
export async function listSnippets(
  db: Db,
  caller: Viewer,
  filter: SnippetFilter,
  page: PageOf,
): Promise<{ rows: Snippet[]; total: number }> {
  const viewer = await withMemberships(db, caller)
  const query = filtered(db, viewer, filter)
  // Only for statements that are few and frequent: dates and words would make many different ones.
  const keepsPlan = !filter.search && !filter.ids && filter.created_after === undefined && filter.created_before === undefined
  const total = await totalOf(db, query.select('snippets.id'), undefined, { keepsPlan })
  const ids = (isReversed: boolean) => {
    const direction = directed('desc', isReversed)
    return query.select('snippets.id').orderBy('snippets.created_at', direction).orderBy('snippets.id', direction)
  }
  return { rows: await pageOfList(db, ids, { ...page, total }, snippetsByIds, { keepsPlan }), total }
}

/** The number of each visibility that the viewer can see. One statement. */
export async function countByVisibility(db: Db, viewer: Viewer, filter: SnippetFilter): Promise<Record<Visibility, number>> {
  const found = await filtered(db, viewer, filter)
    .select((eb) => ['snippets.visibility', eb.fn.countAll<number>().as('number')])
    .groupBy('snippets.visibility')
    .execute()
  const counts = { private: 0, internal: 0, public: 0 }
  for (const { visibility, number } of found) counts[visibility] = Number(number)
  return counts
}

/** Whether everybody can see public snippets of the project. */
export async function hasPublicSnippets(db: Db, projectId: number): Promise<boolean> {
  const project = await db
    .selectFrom('projects')
    .select(['visibility', 'snippets_access_level'])
    .where('id', '=', projectId)
    .executeTakeFirst()
  return project?.visibility === 'public' && project.snippets_access_level === 'enabled'
}

export function snippetsByIds(db: Db, ids: number[]): Promise<Snippet[]> {
  return db.selectFrom('snippets').selectAll().where('id', 'in', ids).execute()
}

/** Null, too, where a banned user wrote it and the viewer is no administrator. */
export async function shownSnippet(db: Db, id: number, viewer: Viewer): Promise<Snippet | null> {
  const found = db.selectFrom('snippets').selectAll().where('id', '=', id).where(isNotByBanned('snippets.author_id', viewer))
  return (await found.executeTakeFirst()) ?? null
}

/** Without an access check. */
export async function snippetById(db: Db, id: number): Promise<Snippet | null> {
  return (await db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function lockSnippet(tx: Tx, id: number): Promise<Snippet | null> {
  return (await lockedRows(tx, tx.selectFrom('snippets').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

/** The file paths of each, in order. */
export async function filePathsOf(db: Db, ids: number[]): Promise<Map<number, string[]>> {
  const paths = new Map<number, string[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return paths
  const found = await db
    .selectFrom('snippet_files')
    .select(['snippet_id', 'path'])
    .where('snippet_id', 'in', ids)
    .orderBy('snippet_id')
    .orderBy('position')
    .execute()
  for (const { snippet_id, path } of found) paths.get(snippet_id)?.push(path)
  return paths
}

/** Its files with their contents, in order. */
export function filesOf(db: Db, snippetId: number): Promise<Content[]> {
  return db.selectFrom('snippet_files').select(['path', 'content']).where('snippet_id', '=', snippetId).orderBy('position').execute()
}

/** The files of several, with their contents. */
export function filesOfSnippets(db: Db, ids: number[]): Promise<SnippetFile[]> {
  return db.selectFrom('snippet_files').selectAll().where('snippet_id', 'in', ids).orderBy('snippet_id').orderBy('position').execute()
}

export function insertSnippet(tx: Tx, row: Insertable<SnippetTable>): Promise<Snippet> {
  return tx.insertInto('snippets').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Replaces its files. */
export async function replaceFiles(tx: Tx, snippet_id: number, files: Content[]): Promise<void> {
  await tx.deleteFrom('snippet_files').where('snippet_id', '=', snippet_id).execute()
  await tx
    .insertInto('snippet_files')
    .values(files.map(({ path, content }, position) => ({ snippet_id, position, path, content })))
    .execute()
}

export function updateSnippet(tx: Tx, id: number, change: Updateable<SnippetTable>): Promise<Snippet> {
  return tx.updateTable('snippets').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** The deleted row; null if it didn't exist. */
export async function deleteSnippet(tx: Tx, id: number): Promise<Pick<Snippet, 'project_id' | 'size'> | null> {
  return (await tx.deleteFrom('snippets').where('id', '=', id).returning(['project_id', 'size']).executeTakeFirst()) ?? null
}

/** Adds to the size of a project's snippets. No statement for a personal one. */
export async function addSize(tx: Tx, projectId: number | null, bytes: number): Promise<void> {
  if (projectId === null || bytes === 0) return
  await tx
    .updateTable('projects')
    .set((eb) => ({ snippets_size: eb('snippets_size', '+', bytes) }))
    .where('id', '=', projectId)
    .execute()
}

/** Deletes the snippets of a user, and updates the sizes of their projects. */
export async function deleteSnippetsOf(tx: Tx, authorId: number): Promise<void> {
  const taken = tx.selectFrom('snippets').where('author_id', '=', authorId).where('project_id', 'is not', null)
  const sums = await taken
    .select((eb) => ['project_id', eb.fn.sum<number>('size').as('bytes')])
    .groupBy('project_id')
    .execute()
  for (const { project_id, bytes } of sums) await addSize(tx, project_id, -Number(bytes))
  await tx.deleteFrom('snippets').where('author_id', '=', authorId).execute()
}

/** The paths of projects. No statement for no ids. */
export async function pathsOf(db: Db, projectIds: number[]): Promise<Map<number, string>> {
  if (projectIds.length === 0) return new Map()
  const found = await db.selectFrom('routes').select(['project_id', 'path']).where('project_id', 'in', projectIds).execute()
  return new Map(found.map(({ project_id, path }) => [project_id ?? 0, path]))
}

export function notesOnVisibleSnippets(eb: InNotes, viewer: Viewer, { project }: ProjectAccess): Expression<SqlBool> {
  const seen = eb
    .selectFrom('snippets')
    .innerJoin('projects', 'projects.id', 'snippets.project_id')
    .select('snippets.id')
    .where('snippets.project_id', '=', project.id)
    .where((of) => snippetsVisibleTo(viewer)(of as never))
  return eb('notes.snippet_id', 'in', seen)
}
