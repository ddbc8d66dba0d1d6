/** Wikis of projects and groups: one family, declared once (spec 4.12). */
import { setImmediate as turn } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { onProjectsAndGroups } from '../../../http/declare/places.ts'
import { LargeFile, nameInPath, none, Off, oneOfDefault } from '../../../http/parameters/schema.ts'
import { oneAtATime } from '../../../limits/one-at-a-time.ts'
import { countAnonymousText } from '../../instance/markdown/markdown.ts'
import { maxUpload_bytes } from '../../spaces/uploads/uploads.ts'
import { storeAttachment } from './attachments.service.ts'
import type { Page } from './page-index.ts'
import { pageFormats } from './page-names.ts'
import { readPage, withTitle } from './page-text.ts'
import { contentOf, contentsOf, findPage, pagesOf } from './pages.service.ts'
import { renderPage } from './render.service.ts'
import { wikiOf } from './wikis.access.ts'
import { PageFormatParameter, WikiAttachment, WikiPage } from './wikis.schema.ts'
import { createPage, deletePage, updatePage } from './writes.service.ts'

const slug = nameInPath('Slug of the page; slashes are sent as %2F')
const title = Type.String({ description: 'Folders in it are separated by slashes' })
const message = Type.Optional(Type.String({ description: 'Message of the commit' }))
const front_matter = Type.Optional(
  Type.Object(
    { title: Type.Optional(Type.String({ maxLength: 255 })) },
    { description: 'Written before the content: the `title` that is shown' },
  ),
)
const maxBody_bytes = 8 * 1024 * 1024
const [markdown, ...otherFormats] = pageFormats

export const wikis = onProjectsAndGroups((kind) => [
  endpoint(`GET /${kind}s/:id/wikis`, {
    summary: `List all pages of the wiki of a ${kind}`,
    access: wikiOf(kind, 'read'),
    query: { with_content: Type.Unsafe<boolean>({ ...Off, description: 'With the content of each page' }) },
    reply: Type.Array(WikiPage),
    async handle({ wiki, query }) {
      const { pages } = await pagesOf(wiki)
      // Up to 32 MiB: forty concurrent requests took 2.3 GB.
      const contents = wiki && query.with_content ? await oneAtATime('contents of a wiki', () => contentsOf(wiki, pages)) : []
      return presentAll(pages, contents)
    },
  }),
  endpoint(`GET /${kind}s/:id/wikis/:slug`, {
    summary: `Get a page of the wiki of a ${kind}`,
    access: wikiOf(kind, 'read'),
    params: { slug },
    query: {
      version: Type.Optional(Type.String({ description: 'The page as of this commit' })),
      render_html: Type.Unsafe<boolean>({ ...Off, description: 'The content as HTML, without its front matter' }),
    },
    reply: WikiPage,
    async handle({ app, wiki, place, user, ip, params, query: { version, render_html } }) {
      const page = await findPage(wiki, params.slug, version)
      const content = await contentOf(page.repo, page)
      if (!render_html) return present(page, content)
      if (!user) countAnonymousText(ip)
      return { ...present(page, content), content: await renderPage(app, { place, user, ip }, page, content) }
    },
  }),
  endpoint(`POST /${kind}s/:id/wikis`, {
    summary: `Create a page in the wiki of a ${kind}`,
    access: wikiOf(kind, 'write'),
    body: { title, content: Type.String(), format: oneOfDefault(markdown ?? 'markdown', ...otherFormats), message, front_matter },
    maxBody_bytes,
    reply: WikiPage,
    async handle({ app, user, place, body: { front_matter, ...sent } }) {
      const content = front_matter?.title === undefined ? sent.content : withTitle(sent.content, front_matter.title)
      return present(await createPage(app, { user, place }, { ...sent, content }), content)
    },
  }),
  endpoint(`PUT /${kind}s/:id/wikis/:slug`, {
    summary: `Update a page of the wiki of a ${kind}`,
    access: wikiOf(kind, 'write'),
    params: { slug },
    body: {
      title: Type.Optional(title),
      content: Type.Optional(Type.String()),
      format: Type.Optional(PageFormatParameter),
      message,
      front_matter,
    },
    atLeastOne: ['content', 'title', 'format', 'front_matter'],
    maxBody_bytes,
    reply: WikiPage,
    async handle({ app, user, place, params, body: { front_matter, ...change } }) {
      const page = await updatePage(app, { user, place }, params.slug, { ...change, front_title: front_matter?.title })
      return present(page, await contentOf(page.repo, page))
    },
  }),
  endpoint(`DELETE /${kind}s/:id/wikis/:slug`, {
    summary: `Delete a page of the wiki of a ${kind}`,
    access: wikiOf(kind, 'delete'),
    params: { slug },
    reply: none,
    async handle({ app, user, place, params }) {
      await deletePage(app, { user, place }, params.slug)
      return null
    },
  }),
  endpoint(`POST /${kind}s/:id/wikis/attachments`, {
    summary: `Upload a file to the wiki of a ${kind}`,
    access: wikiOf(kind, 'write'),
    body: {
      file: LargeFile,
      branch: Type.Optional(Type.String({ description: 'That of the pages unless given' })),
    },
    maxFile_bytes: maxUpload_bytes,
    reply: WikiAttachment,
    handle: ({ app, user, place, body }) => storeAttachment(app, { user, place }, body),
  }),
])

const slice_ms = 5

/** Other requests have their turn meanwhile: reading the front matter of a page may take a tenth of a second. */
async function presentAll(pages: readonly Page[], contents: readonly string[]): Promise<Array<Static<typeof WikiPage>>> {
  const presented: Array<Static<typeof WikiPage>> = []
  let started = performance.now()
  for (const [index, page] of pages.entries()) {
    presented.push(present(page, contents[index]))
    if (performance.now() - started < slice_ms) continue
    await turn()
    started = performance.now()
  }
  return presented
}

/** Without its content unless that is requested. */
function present({ format, slug, title }: Page, content: string | undefined) {
  if (content === undefined) return { format, slug, title }
  return { format, slug, title, content, encoding: 'UTF-8', front_matter: readPage(content).front_matter }
}
