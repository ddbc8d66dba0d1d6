/** The wikis of projects and of groups: one family, declared once. */
import { Type } from 'typebox'
import {
  contentOf,
  createPage,
  deletePage,
  findPage,
  openAttachment,
  pageFormats,
  pagesOf,
  updatePage,
  type WikiGranted,
  wikiOf,
} from '../../../features/repository/wikis/wikis.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { historyPage } from '../../../git/history/history-page.ts'
import type { PlaceKind } from '../../../http/places.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { action, type Page, page, type Typed, type Visit } from '../../frame/declaration.ts'
import { type Framed, framedIn, placeAddress } from '../../planning/places/places.ts'
import { pageAddress } from './addresses.ts'
import { formView } from './form-view.ts'
import { historyView, pagesView, pageView } from './page-view.ts'
import { sentences } from './sentences.ts'

const [usual = 'markdown', ...others] = pageFormats

const fields = {
  title: Type.String({ default: '' }),
  content: Type.String({ default: '' }),
  format: oneOfDefault(usual, ...others),
  message: Type.String({ default: '' }),
}

const maxHistory = 100

async function edited({ wiki }: WikiGranted, slug: string) {
  const found = await findPage(wiki, slug)
  const commit = (await lastCommitOf(found.repo, found.commit, found.path)) ?? found.commit
  return { page: found, content: await contentOf(found.repo, found), commit }
}

async function shown(seen: Visit & WikiGranted, slug: string, version: string | undefined) {
  const { pages, find } = await pagesOf(seen.wiki)
  if (version === undefined && find(slug) === null) return pagesView(seen, pages, slug)
  const found = await findPage(seen.wiki, slug, version)
  const special = find('_sidebar')
  const sidebar = special && seen.wiki ? { page: special, content: await contentOf(seen.wiki, special) } : null
  const content = await contentOf(found.repo, found)
  return pageView(seen, { page: found, content, sidebar, pages, isOld: version !== undefined && find(slug)?.oid !== found.oid })
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
        return home ? { redirect: pageAddress(seen.place, home.slug), status: 302 } : framed(seen, pagesView(seen, pages))
      },
    }),
    page(`GET ${base}/-/pages`, { access: reading, show: async (seen) => framed(seen, pagesView(seen, (await pagesOf(seen.wiki)).pages)) }),
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
      async show({ params, ...seen }) {
        const found = await findPage(seen.wiki, params['*'])
        const { commits } = await historyPage(found.repo, [found.commit], found.path, maxHistory)
        return framed(seen, historyView(seen, found, commits))
      },
    }),
    page(`GET ${base}/uploads/*`, {
      access: reading,
      show: async ({ wiki, params }) => ({ bytes: await openAttachment(wiki, params['*']) }),
    }),
    page(`GET ${base}/*`, {
      access: reading,
      query: { version: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })) },
      show: async ({ params, sent, ...seen }) => framed(seen, await shown(seen, params['*'], sent.version)),
    }),
    action(`POST ${base}/-/create`, {
      access: writing,
      form: fields,
      async act({ app, user, place, sent }) {
        const { slug, title } = await createPage(app, { user, place }, sent)
        return { redirect: pageAddress(place, slug), notice: sentences.created(title) }
      },
      again: (seen, typed: Typed) => framed(seen, formView(seen, null, typed)),
    }),
    action(`POST ${base}/-/update/*`, {
      access: writing,
      form: { ...fields, last_commit_sha: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })) },
      async act({ app, user, place, params, sent }) {
        const { slug, title } = await updatePage(app, { user, place }, params['*'], sent)
        return { redirect: pageAddress(place, slug), notice: sentences.changed(title) }
      },
      again: async ({ params, ...seen }, typed: Typed) => framed(seen, formView(seen, await edited(seen, params['*']), typed)),
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
