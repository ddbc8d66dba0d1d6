/** Writes to a wiki: every change is one commit by its author, on the branch that pages are read from. */
import type { WikiHome } from '../../../access/wikis.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { isWellFormed } from '../../../git/objects/paths.ts'
import { readHead } from '../../../git/refs/head.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type FileChange, writeCommit } from '../../../git/write/fast-import.ts'
import { userKey } from '../../../limits/callers.ts'
import { changeWikiRefs } from '../../repository/pushes/pushes.ts'
import { indexOf, type Page, type PageIndex } from './page-index.ts'
import { folderOf, type PageFormat, pathFor, slugOf, squished, titleOf } from './page-names.ts'
import { withTitle } from './page-text.ts'
import { editableContentOf, pageNotFound } from './pages.service.ts'
import { openOrCreateWiki } from './wikis.service.ts'

/** The user who writes, and the project or group of the wiki. */
export interface Writer {
  user: User
  place: WikiHome
}

/** The contents of a commit, computed from the state it is based on. */
export interface Draft {
  message: string
  changes: FileChange[]
}

export interface Written {
  repo: Repo
  commit: string
  branch: string
}

/** How often a change is started again because another commit came first. */
const maxTries = 20

/**
 * Commits to a branch of the wiki, by default that of its pages. If another commit comes first, the draft is computed again from that: both
 * are in the history. Throws what `draft` throws.
 */
export async function commitToWiki(
  app: App,
  { user, place }: Writer,
  draft: (at: { index: PageIndex; repo: Repo; tip: string | null }) => Promise<Draft> | Draft,
  wanted_branch?: string,
): Promise<Written> {
  const wiki = await openOrCreateWiki(app, place)
  const repo = countedFor(app.git.openWiki(wiki.id), userKey(user))
  for (let tries = 1; ; tries += 1) {
    const branch = wanted_branch ?? (await readHead(repo))
    const before = await resolveCommit(repo, `refs/heads/${branch}`)
    const tip = before ?? (wanted_branch === undefined ? null : await resolveCommit(repo, 'HEAD'))
    const { message, changes } = await draft({ index: await indexOf(repo, tip), repo, tip })
    const person = { name: user.name, email: user.email }
    const after = await writeCommit(repo, { parents: tip ? [tip] : [], author: person, committer: person, message, changes })
    try {
      await changeWikiRefs(app, { user, home: place, wiki }, [{ ref: `refs/heads/${branch}`, before: before ?? noObject, after }])
      return { repo, commit: after, branch }
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'ref_moved') || tries === maxTries) throw error
    }
  }
}

export interface NewPage {
  title: string
  content: string
  format: PageFormat
  message?: string | undefined
}

/** Throws 400 if the title is invalid or taken, or the content is blank. Resolves to the page as written. */
export async function createPage(app: App, writer: Writer, { title, content, format, message }: NewPage): Promise<Page & Written> {
  assertFilled({ title, content })
  const slug = slugOf(squished(title).replace(/^\/+/, ''))
  const path = requirePath(slug, format)
  const written = await commitToWiki(app, writer, ({ index }) => {
    const taken = index.find(slug)
    if (taken) throw invalid({ base: [`Duplicate page: Cannot write ${path}, found ${taken.path}.`] })
    return { message: messageOf(message, writer, 'created', titleOf(slug)), changes: [write(path, content)] }
  })
  return { ...(await pageAt(written, slug)), ...written }
}

export interface PageChange {
  title?: string | undefined
  content?: string | undefined
  format?: PageFormat | undefined
  message?: string | undefined
  /** Stored in the front matter. */
  front_title?: string | undefined
  /** The commit on which the change is based: 409 if the page has a later one. */
  last_commit_sha?: string | undefined
}

/**
 * A title without a folder keeps the page in its folder; one that begins with a slash moves it to the root. Throws as `createPage` does.
 */
export async function updatePage(app: App, writer: Writer, slug: string, change: PageChange): Promise<Page & Written> {
  assertFilled(change)
  let moved = slug
  const written = await commitToWiki(app, writer, async (at) => {
    const page = at.index.find(slug)
    if (!page) throw pageNotFound()
    await assertUnchanged(at, page, change.last_commit_sha)
    moved = slugAfter(page, change.title)
    const path = requirePath(moved, change.format ?? page.format, page.path)
    const there = at.index.find(moved)
    if (there && there.path !== page.path) throw invalid({ title: ['There is already a page with the same title in that path.'] })
    const changes: FileChange[] = path === page.path ? [] : [{ kind: 'delete', path: page.path }]
    const content =
      change.front_title === undefined
        ? change.content
        : withTitle(change.content ?? (await editableContentOf(at.repo, page)), change.front_title)
    changes.push(content === undefined ? { kind: 'place', path, mode: page.mode, oid: page.oid } : write(path, content, page.mode))
    return { message: messageOf(change.message, writer, 'updated', page.title), changes }
  })
  return { ...(await pageAt(written, moved)), ...written }
}

/** Commits what `change` makes of the content of a page as it is then. Throws as `change`, and 404 where there is no such page. */
export async function rewritePage(app: App, writer: Writer, slug: string, change: (content: string) => string): Promise<void> {
  await commitToWiki(app, writer, async ({ index, repo }) => {
    const page = index.find(slug)
    if (!page) throw pageNotFound()
    const content = change(await editableContentOf(repo, page))
    return { message: messageOf(undefined, writer, 'updated', page.title), changes: [write(page.path, content, page.mode)] }
  })
}

/** Throws `404 Wiki Page Not Found`. */
export async function deletePage(app: App, writer: Writer, slug: string): Promise<void> {
  await commitToWiki(app, writer, ({ index }) => {
    const page = index.find(slug)
    if (!page) throw pageNotFound()
    return { message: messageOf(undefined, writer, 'deleted', page.title), changes: [{ kind: 'delete', path: page.path }] }
  })
}

function assertFilled(sent: { title?: string | undefined; content?: string | undefined }): void {
  const blank = (['title', 'content'] as const).filter((name) => sent[name]?.trim() === '')
  if (blank.length > 0) throw invalid(Object.fromEntries(blank.map((name) => [name, ["can't be blank"]])))
  if (!isWellFormed(sent.content ?? '')) throw invalid({ content: ['is not text in Unicode'] })
}

function slugAfter(page: Page, title: string | undefined): string {
  if (title === undefined || squished(title) === page.title) return page.slug
  const wanted = slugOf(squished(title))
  if (wanted.startsWith('/')) return wanted.replace(/^\/+/, '')
  const folder = folderOf(page.slug)
  return wanted.includes('/') || folder === '' ? wanted : `${folder}/${wanted}`
}

function requirePath(slug: string, format: PageFormat, keptPath?: string): string {
  // A page that keeps its slug keeps its file, which may have spaces instead of hyphens.
  const named = pathFor(slug, format, keptPath)
  if ('error' in named) throw invalid({ title: [named.error] })
  const kept = keptPath === undefined ? undefined : slugOf(keptPath)
  return keptPath !== undefined && kept === named.path ? keptPath : named.path
}

function write(path: string, content: string, mode: Page['mode'] = '100644'): FileChange {
  return { kind: 'write', path, mode, content: () => Buffer.from(content) }
}

function messageOf(sent: string | undefined, { user }: Writer, verb: string, title: string): string {
  return sent?.trim() ? sent : `${user.username} ${verb} page: ${title}`
}

async function pageAt({ repo, commit }: Written, slug: string): Promise<Page> {
  const page = (await indexOf(repo, commit)).find(slug)
  if (!page) throw pageNotFound()
  return page
}

async function assertUnchanged({ repo, tip }: { repo: Repo; tip: string | null }, page: Page, known?: string): Promise<void> {
  if (!known || !tip || known === tip) return
  const last = await lastCommitOf(repo, tip, page.path)
  if (last !== known) throw new Failure('conflict', 'Someone edited the page the same time you did')
}
