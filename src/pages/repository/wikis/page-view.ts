/** One page of a wiki, the list of all, and the history of one. */
import { mayWriteWiki, type WikiHome, wikiPath } from '../../../access/wikis.ts'
import type { User } from '../../../db/tables.ts'
import { folderOf, type Page, withoutFrontMatter, withPageLinks } from '../../../features/repository/wikis/wikis.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { httpCloneUrl } from '../../../links.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { type Html, html } from '../../frame/html.ts'
import { copyable, emptyState, icon, isolated } from '../../frame/parts.ts'
import { ago, count } from '../../frame/phrases.ts'
import { proseOf as plainProseOf } from '../../frame/texts.ts'
import { placeAddress } from '../../planning/places/places.ts'
import { proseOf } from '../../project/prose.ts'
import { pageAddress, workAddress } from './addresses.ts'
import { sentences } from './sentences.ts'

export type Seen = Visit & { place: WikiHome; user: User | null }

/** Of a page that is not rendered so much is shown. */
const maxShown_chars = 256 * 1024

async function rendered({ app, place, user, ip }: Seen, page: Page, content: string): Promise<Html | null> {
  if (page.format !== 'markdown') {
    return html`<p class="hint">${sentences.source(page.format)}</p><pre class="message">${content.slice(0, maxShown_chars)}</pre>`
  }
  const text = withPageLinks(withoutFrontMatter(content))
  if (place.kind === 'group') return html`<div class="prose">${await plainProseOf(text)}</div>`
  const home = {
    url: `${app.config.url}/${place.row.full_path}`,
    default_branch: null,
    wiki: `${app.config.url}${placeAddress(place, 'wikis')}`,
    folder: folderOf(page.slug),
  }
  const [prose] = await proseOf(app, { project: place.row, level: place.level, user, ip }, [text], sentences.tooLong, { home })
  return prose ?? null
}

export interface ShownPage {
  page: Page
  content: string
  /** The page `_sidebar` of the same state; null where there is none. */
  sidebar: { page: Page; content: string } | null
  pages: readonly Page[]
  isOld: boolean
}

export async function pageView(seen: Seen, { page, content, sidebar, pages, isOld }: ShownPage): Promise<Omit<View, 'above'>> {
  const { place, user } = seen
  const side = sidebar ? await rendered(seen, sidebar.page, sidebar.content) : treeOf(place, pages.slice(0, maxBeside), page.slug)
  const edit =
    mayWriteWiki(place, user) &&
    !isOld &&
    html`<a class="button primary" href="${workAddress(place, 'edit', page.slug)}">${icon('pencil')} Edit</a>`
  return {
    title: `${page.title} · Wiki`,
    main: html`<div class="heading"><h1>${isolated(page.title)}</h1><p class="actions"><a class="button" href="${workAddress(place, 'history', page.slug)}">History</a> ${edit} ${newButton(seen)}</p></div>
${isOld && html`<p class="hint">${sentences.old} <a href="${pageAddress(place, page.slug)}">See the current one</a></p>`}
${await rendered(seen, page, content)}
<aside class="wiki-side" aria-label="Pages of the wiki"><h2>Pages</h2>${side}<p><a href="${placeAddress(place, 'wikis')}/-/pages">All ${count(pages.length, 'page')}</a></p></aside>`,
  }
}

const maxBeside = 100

const newButton = ({ place, user }: Seen) =>
  mayWriteWiki(place, user) && html`<a class="button" href="${placeAddress(place, 'wikis')}/-/new">${icon('plus')} New page</a>`

/** Folders as headings of their pages. */
function treeOf(place: WikiHome, pages: readonly Page[], current = ''): Html {
  const folders = new Map<string, Page[]>()
  for (const page of pages) folders.set(folderOf(page.slug), [...(folders.get(folderOf(page.slug)) ?? []), page])
  const listOf = (some: readonly Page[]) =>
    html`<ul>${some.map(({ slug, title }) => html`<li><a href="${pageAddress(place, slug)}"${slug === current && html` aria-current="page"`}>${isolated(title)}</a></li>`)}</ul>`
  return html`${[...folders].map(([folder, some]) =>
    folder === '' ? listOf(some) : html`<details open><summary>${isolated(folder)}</summary>${listOf(some)}</details>`,
  )}`
}

export function pagesView(seen: Seen, pages: readonly Page[], missing?: string): Omit<View, 'above'> {
  const { app, place } = seen
  const shown = pages.slice(0, maxListed)
  return {
    title: 'Wiki',
    ...(missing !== undefined && { status: 404 }),
    main: html`<div class="heading"><h1>Wiki <span class="hint">${count(pages.length, 'page')}</span></h1><p class="actions">${newButton(seen)}</p></div>
${missing !== undefined && html`<p>${sentences.noSuchPage(missing)}</p>`}
${pages.length === 0 ? emptyState(sentences.none) : treeOf(place, shown)}
${pages.length > shown.length && html`<p class="hint">The first ${count(shown.length, 'page')} are shown.</p>`}
<details><summary>Clone</summary>${copyable('Address of the wiki', httpCloneUrl(app.config, wikiPath(place.row)))}</details>`,
  }
}

const maxListed = 2_000

export function historyView({ place }: Seen, page: Page, commits: readonly Commit[]): Omit<View, 'above'> {
  return {
    title: `History of ${page.title} · Wiki`,
    main: html`<div class="heading"><h1>History of <a href="${pageAddress(place, page.slug)}">${isolated(page.title)}</a></h1></div>
<ul class="rows">${commits.map(
      ({ oid, message, author }) =>
        html`<li><div class="what"><a href="${pageAddress(place, page.slug)}?version=${oid}">${isolated(message.split('\n', 1)[0] ?? '')}</a><p>${isolated(author.name)} · ${ago(author.date)}</p></div><div class="facts"><code>${oid.slice(0, 8)}</code></div></li>`,
    )}</ul>`,
  }
}
