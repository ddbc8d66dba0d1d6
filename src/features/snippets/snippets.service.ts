/** Rules of snippets: visibility, limits, and changes that keep concurrent ones. */
import { findProject, type LocatedProject, type ProjectAccess } from '../../access/find.ts'
import { canSeeSnippet } from '../../access/snippets.ts'
import type { Viewer } from '../../access/visible.ts'
import type { App } from '../../app.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { Snippet, User, Visibility } from '../../db/tables.ts'
import { badParameter, Failure, notFound } from '../../failure.ts'
import { assertValid, blankError, lengthError } from '../../validation.ts'
import { readSettings, restrictedVisibilityError } from '../instance/settings/settings.ts'
import { type Client, keepUserAgent } from '../instance/user-agents/user-agents.ts'
import { applyActions, type FileAction, filesError, sizeOf, unusedName } from './files.ts'
import {
  addSize,
  type Content,
  deleteSnippet,
  filesOf,
  insertSnippet,
  lockSnippet,
  replaceFiles,
  shownSnippet,
  snippetById,
  updateSnippet,
} from './snippets.queries.ts'
import { assertSnippetIsNotSpam } from './spam-check.service.ts'

const maxTitle_chars = 255
const maxDescription_chars = 1_000_000

export interface NewSnippet {
  title: string
  description?: string | null | undefined
  visibility: Visibility
  /** At least one. A file without a name gets one. */
  files: Content[]
}

export interface SnippetChange {
  title?: string | undefined
  description?: string | null | undefined
  visibility?: Visibility | undefined
  /** The name of its only file. */
  file_name?: string | undefined
  content?: string | undefined
  files?: FileAction[] | undefined
  /** All its files, replacing the present ones: the form of web forms. */
  contents?: Content[] | undefined
}

/** A snippet with its project, as the viewer can see both. */
export interface SeenSnippet {
  snippet: Snippet
  /** Null of a personal one. */
  access: ProjectAccess | null
}

/** The snippet with this global id. Throws 404 if the viewer can't see it, whether or not it exists. */
export async function findSnippet(db: Db, id: number, viewer: Viewer): Promise<SeenSnippet> {
  const snippet = await shownSnippet(db, id, viewer)
  if (!snippet) throw notFound('Snippet')
  const access = snippet.project_id === null ? null : await accessTo(db, snippet.project_id, viewer)
  if (!canSeeSnippet(snippet, access, viewer)) throw notFound('Snippet')
  return { snippet, access }
}

/** If the project is hidden, the error is about the snippet. */
async function accessTo(db: Db, projectId: number, viewer: Viewer): Promise<ProjectAccess> {
  try {
    return await findProject(db, String(projectId), viewer)
  } catch (error) {
    throw error instanceof Failure && error.code === 'not_found' ? notFound('Snippet') : error
  }
}

/** The snippet of the project with this id. Throws 404. */
export async function findSnippetIn(db: Db, access: ProjectAccess, id: number, viewer: Viewer): Promise<Snippet> {
  const snippet = await shownSnippet(db, id, viewer)
  if (snippet?.project_id !== access.project.id || !canSeeSnippet(snippet, access, viewer)) throw notFound('Snippet')
  return snippet
}

/** A personal snippet, or one of a project. Throws 400 for an invalid field, and for spam. */
export async function createSnippet(
  app: App,
  author: User,
  project: LocatedProject | null,
  { files, ...sent }: NewSnippet,
  client: Client,
): Promise<Snippet> {
  const named = withNames(files)
  assertFields(sent)
  await assertVisibility(app, author, sent.visibility)
  assertFiles(named)
  const texts = { ...sent, project_id: project?.id ?? null, description: sent.description ?? null }
  await assertSnippetIsNotSpam(app, author, null, texts, async () => named)
  const at = now()
  return inTransaction(app.db, async (tx) => {
    const size = sizeOf(named)
    const row = { project_id: project?.id ?? null, author_id: author.id, file_name: named[0]?.path ?? '', created_at: at, updated_at: at }
    const snippet = await insertSnippet(tx, {
      ...row,
      title: sent.title,
      description: sent.description ?? null,
      visibility: sent.visibility,
      size,
    })
    await addSize(tx, snippet.project_id, size)
    await replaceFiles(tx, snippet.id, named)
    await keepUserAgent(tx, { snippet_id: snippet.id }, client)
    return snippet
  })
}

/** Changes the sent fields. Throws 400 for an invalid field and for spam, 404 if it was deleted meanwhile. */
export async function changeSnippet(app: App, editor: User, { id }: Pick<Snippet, 'id'>, change: SnippetChange): Promise<Snippet> {
  const { title, description, visibility } = change
  assertFields({ title, description })
  const settings = await readSettings(app.db)
  const seen = await snippetById(app.db, id)
  if (!seen) throw notFound('Snippet')
  await assertSnippetIsNotSpam(app, editor, seen, withChange(seen, change), () => filesAfter(change, () => filesOf(app.db, id)))
  return inTransaction(app.db, async (tx) => {
    const before = await lockSnippet(tx, id)
    if (!before) throw notFound('Snippet')
    if (visibility !== before.visibility) assertValid({ visibility: restrictedVisibilityError(settings, editor, visibility) })
    const files = await filesAfter(change, () => filesOf(tx, id))
    if (files) {
      assertFiles(files)
      await replaceFiles(tx, id, files)
    }
    const size = files ? sizeOf(files) : before.size
    await addSize(tx, before.project_id, size - before.size)
    return updateSnippet(tx, id, {
      ...withChange(before, change),
      file_name: files?.[0]?.path ?? before.file_name,
      size,
      updated_at: now(),
    })
  })
}

function withChange(before: Snippet, { title, description, visibility }: SnippetChange) {
  return {
    project_id: before.project_id,
    title: title ?? before.title,
    description: description === undefined ? before.description : description,
    visibility: visibility ?? before.visibility,
  }
}

/** Throws 404 if it was deleted meanwhile. */
export function removeSnippet(app: App, { id }: Pick<Snippet, 'id'>): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    const deleted = await deleteSnippet(tx, id)
    if (!deleted) throw notFound('Snippet')
    await addSize(tx, deleted.project_id, -deleted.size)
  })
}

/** Null if they don't change. Throws 400 if a single file is meant and there are several. */
async function filesAfter(
  { file_name, content, files, contents }: SnippetChange,
  read: () => Promise<Content[]>,
): Promise<Content[] | null> {
  if (contents) return withNames(contents)
  if (files) return applyActions(await read(), files)
  if (file_name === undefined && content === undefined) return null
  const [only, ...others] = await read()
  if (!only || others.length > 0) throw badParameter('to update snippets with multiple files, you must use the `files` parameter')
  return [{ path: file_name || only.path, content: content ?? only.content }]
}

function withNames(files: Content[]): Content[] {
  const named: Content[] = []
  for (const { path, content } of files) named.push({ path: path || unusedName([...named, ...files]), content })
  return named
}

function assertFields({ title, description }: Pick<SnippetChange, 'title' | 'description'>): void {
  assertValid({
    title: title === undefined ? null : (blankError(title) ?? lengthError(title, maxTitle_chars)),
    description: lengthError(description ?? '', maxDescription_chars),
  })
}

async function assertVisibility(app: App, user: User, visibility: Visibility): Promise<void> {
  assertValid({ visibility: restrictedVisibilityError(await readSettings(app.db), user, visibility) })
}

function assertFiles(files: Content[]): void {
  const found = filesError(files)
  if (found) assertValid({ [found.field]: found.error })
}
