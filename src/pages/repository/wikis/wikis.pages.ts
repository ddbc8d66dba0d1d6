/** The wikis of projects and groups, declared once. */
import { Type } from 'typebox'
import { wikiPageAddress, wikiWorkAddress } from '../../../addresses/documents.ts'
import { placeAddress } from '../../../addresses/places.ts'
import { Failure, notFound } from '../../../failure.ts'
import { ticked } from '../../../features/commands/tasks/tasks.ts'
import {
  contentOf,
  createPage,
  deletePage,
  editableContentOf,
  findPage,
  lookUpPage,
  openWikiFile,
  pageFormats,
  pageNameOf,
  pagesOf,
  rewritePage,
  updatePage,
  type WikiGranted,
  type Page as WikiPage,
  wikiOf,
} from '../../../features/documents/wikis/wikis.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { historyPage } from '../../../git/history/history-page.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { PlaceKind } from '../../../http/declare/places.ts'
import { Off, oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, type Bytes, type Page, page, type Redirect, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { type Framed, framedIn } from '../../planning/places/places.ts'
import { taskForm, tickIn } from '../../project/tasks.ts'
import { readCursor, writeCursor } from '../history/cursor.ts'
import { type DiffOptions, diffQuery } from '../history/diff/options.ts'
import { formView } from './form-view.ts'
import { compareView, historyView } from './history-view.ts'
import { pageView } from './page-view.ts'
import { sentences } from './sentences.ts'
import { pagesView } from './tree-view.ts'

const [usual = 'markdown', ...others] = pageFormats

const fields = {
  title: Type.String({ default: '' }),
  content: Type.String({ default: '' }),
  format: oneOfDefault(usual, ...others),
  message: Type.String({ default: '' }),
}

const perPage = 100

const commitId = Type.String({ pattern: '^[0-9a-f]{40}$' })

async function edited({ wiki }: WikiGranted, slug: string) {
  const found = await findPage(wiki, slug)
  const commit = (await lastCommitOf(found.repo, found.commit, found.path)) ?? found.commit
  return { page: found, content: await editableContentOf(found.repo, found), commit }
}

/** A page or a file. The path of a file that is a page redirects to the page, so links between files of a folder work. */
async function shown(
  seen: Visit & WikiGranted,
  slug: string,
  version: string | undefined,
): Promise<Omit<View, 'above'> | Redirect | Bytes> {
  const { wiki, place } = seen
  const { pages, find } = await pagesOf(wiki)
  const found = await lookUpPage(wiki, slug, version)
  if (!found) return withoutPage(seen, pages, slug, version)
  const special = find('_sidebar')
  const sidebar = special && wiki ? { page: special, content: await contentOf(wiki, special) } : null
  const content = await contentOf(found.repo, found)
  const last = await lastCommitOf(found.repo, found.commit, found.path)
  const isOld = version !== undefined && find(slug)?.oid !== found.oid
  return pageView(
    { ...seen, place },
    { page: found, content, sidebar, pages, isOld, last: last === null ? null : await readCommit(found.repo, last) },
  )
}

async function withoutPage({ wiki, ...seen }: Visit & WikiGranted, pages: readonly WikiPage[], path: string, version?: string) {
  const named = pageNameOf(path)
  const page = named && (await lookUpPage(wiki, named.slug, version))
  if (page?.path === path) return { redirect: wikiPageAddress(seen.place, page.slug, version), status: 302 as const }
  const file = await openWikiFile(wiki, path, version).catch(nullIfMissing)
  return file ? { bytes: file } : pagesView(seen, pages, { missing: path })
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null
  throw error
}

async function historyOf({ wiki, ...seen }: Visit & WikiGranted, slug: string, after: string) {
  const found = await findPage(wiki, slug)
  const from = after === '' ? [found.commit] : await readCursor(found.repo, after, found.commit.length)
  const { commits, next } = await historyPage(found.repo, from, found.path, perPage)
  const cursor = commits.length === perPage && next.length > 0 ? writeCursor(next) : null
  const older = cursor === null ? null : `${wikiWorkAddress(seen.place, 'history', found.slug)}?after=${cursor}`
  return historyView(seen, found, commits, older)
}

interface Compared {
  from: string
  to: string
  whole: boolean
}

async function compared({ wiki, ...seen }: Visit & WikiGranted, slug: string, { from, to, whole, ...options }: Compared & DiffOptions) {
  const found = (await lookUpPage(wiki, slug, to)) ?? (await findPage(wiki, slug, from))
  const { repo } = found
  const [one, other] = await Promise.all([resolveCommit(repo, from), resolveCommit(repo, to)])
  if (one === null || other === null) throw notFound('Commit')
  const [before, after] = await Promise.all([readCommit(repo, one), readCommit(repo, other)])
  return compareView(seen, found, { repo, from: before, to: after }, { options, isWhole: whole })
}

function wikiPagesOf(kind: PlaceKind, framed: Framed): Page[] {
  const base = kind === 'project' ? '/:project/wikis' : '/groups/:group/-/wikis'
  const [reading, writing] = [wikiOf(kind, 'read'), wikiOf(kind, 'write')]
  return [
    page(`GET ${base}`, {
      access: reading,
      async show(seen) {
        const { pages, find } = await pagesOf(seen.wiki)
        const home = find('home')
        return home ? { redirect: wikiPageAddress(seen.place, home.slug), status: 302 } : framed(seen, pagesView(seen, pages))
      },
    }),
    page(`GET ${base}/-/pages`, {
      access: reading,
      query: pageNumber,
      show: async ({ sent, ...seen }) => framed(seen, pagesView(seen, (await pagesOf(seen.wiki)).pages, sent)),
    }),
    page(`GET ${base}/-/new`, {
      access: writing,
      query: { title: Type.String({ default: '', maxLength: 1_000 }) },
      show: ({ sent, ...seen }) => framed(seen, formView(seen, null, undefined, sent.title)),
    }),
    page(`GET ${base}/-/edit/*`, {
      access: writing,
      show: async ({ params, ...seen }) => framed(seen, formView(seen, await edited(seen, params['*']))),
    }),
    page(`GET ${base}/-/history/*`, {
      access: reading,
      query: { after: Type.String({ default: '', maxLength: 8_000 }) },
      show: async ({ params, sent, ...seen }) => framed(seen, await historyOf(seen, params['*'], sent.after)),
    }),
    page(`GET ${base}/-/compare/*`, {
      access: reading,
      query: { from: commitId, to: commitId, whole: Off, ...diffQuery },
      show: async ({ params, sent, ...seen }) => framed(seen, await compared(seen, params['*'], sent)),
    }),
    page(`GET ${base}/uploads/*`, {
      access: reading,
      show: async ({ wiki, params }) => ({ bytes: await openWikiFile(wiki, `uploads/${params['*']}`) }),
    }),
    page(`GET ${base}/*`, {
      access: reading,
      query: { version: Type.Optional(commitId) },
      async show({ params, sent, ...seen }) {
        const found = await shown(seen, params['*'], sent.version)
        return 'main' in found ? framed(seen, found) : found
      },
    }),
    action(`POST ${base}/-/create`, {
      access: writing,
      form: fields,
      async act({ app, user, place, sent }) {
        const { slug, title } = await createPage(app, { user, place }, sent)
        return { redirect: wikiPageAddress(place, slug), notice: sentences.created(title) }
      },
      again: (seen, typed: Typed) => framed(seen, formView(seen, null, typed)),
    }),
    action(`POST ${base}/-/update/*`, {
      access: writing,
      form: { ...fields, last_commit_sha: Type.Optional(commitId) },
      async act({ app, user, place, wiki, params, sent }) {
        const found = await findPage(wiki, params['*'])
        await editableContentOf(found.repo, found)
        const { slug, title } = await updatePage(app, { user, place }, params['*'], sent)
        return { redirect: wikiPageAddress(place, slug), notice: sentences.changed(title) }
      },
      again: async ({ params, ...seen }, typed: Typed) => framed(seen, formView(seen, await edited(seen, params['*']), typed)),
    }),
    action(`POST ${base}/-/tasks/*`, {
      access: writing,
      form: taskForm,
      async act({ app, user, place, wiki, params, sent }) {
        const tick = tickIn(sent)
        const found = await findPage(wiki, params['*'])
        const content = await editableContentOf(found.repo, found)
        // Somebody else may have ticked it already; then there is nothing to commit.
        if (ticked(content, tick) !== content) await rewritePage(app, { user, place }, found.slug, (current) => ticked(current, tick))
        return { redirect: wikiPageAddress(place, found.slug) }
      },
    }),
    action(`POST ${base}/-/delete/*`, {
      access: wikiOf(kind, 'delete'),
      async act({ app, user, place, params }) {
        await deletePage(app, { user, place }, params['*'])
        return { redirect: placeAddress(place, 'wikis'), notice: sentences.deleted(params['*']) }
      },
    }),
  ]
}

export const wikiPages: Page[] = (['project', 'group'] as const).flatMap((kind) => wikiPagesOf(kind, framedIn('wiki')))
