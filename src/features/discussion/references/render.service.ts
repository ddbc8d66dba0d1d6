/** Renders texts of a project as HTML for a reader: rendered once for all, with links to what the reader can see. */
import { createHash } from 'node:crypto'
import { canDownload, type LocatedProject } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import { webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import { callerOf } from '../../../limits/callers.ts'
import {
  type Markup,
  type OpenReference,
  openReferencesOfText,
  type ProjectHome,
  renderTemplate,
  type Template,
} from '../../instance/markdown/markdown.ts'
import { commitNamed } from './commits.ts'
import { type FoundCommits, linkTo } from './links.ts'
import { type Referenced, type Resolved, resolveReferences } from './resolve.ts'

/** The reader and the project, as access rules grant them. */
export interface Reader {
  project: LocatedProject
  /** Their access level in the project. */
  level: number
  user: Viewer
  /** IP address, by which texts of anonymous readers are counted. */
  ip?: string
}

export interface RenderOptions {
  /** Lowers headings by one level, and highlights code. */
  within_page?: boolean
  /** The tree in which relative links and images are looked up; by default the project's default branch, if the reader can read it. */
  home?: ProjectHome
  /** The markup of the text: Markdown by default. */
  markup?: Markup
}

/** As `renderTexts`, for one. Throws 503 if it takes too long, 429 if too many texts of this reader wait. */
export async function renderText(app: App, reader: Reader, text: string, options: RenderOptions = {}): Promise<string> {
  const [html = ''] = await resolveTemplates(app, reader, [await templateOf(app, reader, text, options)])
  return html
}

/**
 * Texts of a project as HTML for this reader, in order: at most nine statements, regardless of their number. Null for null, and for a text
 * that can't be rendered now because it takes too long, or too many texts of this reader wait.
 */
export async function renderTexts(
  app: App,
  reader: Reader,
  texts: ReadonlyArray<string | null>,
  options: RenderOptions = {},
): Promise<Array<string | null>> {
  const templates: Array<Template | null> = []
  // One after another: a reader has few places in the queue of the renderer.
  for (const text of texts) templates.push(text === null ? null : await templateOf(app, reader, text, options).catch(nullIfBusy))
  const rendered = await resolveTemplates(
    app,
    reader,
    templates.filter((template) => template !== null),
  )
  return templates.map((template) => (template === null ? null : (rendered.shift() ?? null)))
}

/** As `renderTexts`, for texts that aren't Markdown, such as commit messages: only references are rendered. */
export function renderPlainTexts(app: App, reader: Reader, texts: readonly string[]): Promise<string[]> {
  return resolveTemplates(
    app,
    reader,
    texts.map((text) => openReferencesOfText(text, app.config.url)),
  )
}

function nullIfBusy(error: unknown): null {
  if (error instanceof Failure) return null
  throw error
}

/** Depends only on the text and on where its links lead, not on permissions, so all readers share it. */
function templateOf(app: App, { project, level, user, ip }: Reader, text: string, options: RenderOptions): Promise<Template> {
  const { within_page = false, markup = 'markdown' } = options
  const default_branch = canDownload({ project, level }, user) ? project.default_branch : null
  const home = options.home ?? { url: webUrl(app.config, project.full_path), default_branch }
  return cached(
    app.git.cache,
    `template ${markup} ${within_page} ${JSON.stringify(home)} ${createHash('sha256').update(text).digest('base64')}`,
    () => renderTemplate(callerOf(user, ip), text, { home, within_page, markup }, app.config.url),
    ({ pieces, references }) => 200 + 2 * pieces.reduce((sum, piece) => sum + piece.length + 20, 0) + 300 * references.length,
  )
}

async function resolveTemplates(app: App, { project, level, user, ip }: Reader, templates: Template[]): Promise<string[]> {
  const references = templates.flatMap((template) => template.references)
  const resolved = references.length === 0 ? () => null : await resolveReferences(app.db, user, project, references, undefined, level)
  const commits = await findCommits(app, callerOf(user, ip), references, resolved)
  const htmlOf = (open: OpenReference) => {
    const target = resolved(open)
    return target ? linkTo(app.config, project, open, target, commits.get(commitKey(target)) ?? null) : open.html
  }
  return templates.map(({ pieces, references }) =>
    pieces.map((piece, index) => (references[index] ? piece + htmlOf(references[index]) : piece)).join(''),
  )
}

/** Limit of all texts that are rendered together: each takes a request to git. */
const maxCommits = 100

const commitKey = (target: Referenced | null) =>
  target?.kind === 'commit' || target?.kind === 'commit_range' ? `${target.project.id} ${target.name}` : ''

async function findCommits(
  app: App,
  caller: string,
  references: OpenReference[],
  resolved: Resolved,
): Promise<Map<string, FoundCommits | null>> {
  const found = new Map<string, FoundCommits | null>()
  for (const reference of references) {
    const target = resolved(reference)
    if (target?.kind !== 'commit' && target?.kind !== 'commit_range') continue
    const key = commitKey(target)
    if (found.has(key) || found.size >= maxCommits) continue
    const repo = countedFor(app.git.open(target.project.id), caller)
    const names = target.name.split(/\.{2,3}/)
    const oids = await Promise.all(names.map((name) => commitNamed(repo, target.project, name).catch(nullIfBusy)))
    const known = oids.filter((oid) => oid !== null)
    const isWhole = known.length === oids.length
    const title = isWhole && target.kind === 'commit' ? titleOf((await readCommit(repo, known[0] ?? '')).message) : null
    found.set(key, isWhole ? { oids: known, title } : null)
  }
  return found
}
