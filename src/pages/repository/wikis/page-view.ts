/** One page of a wiki, with the list of others. */

import { mayWriteWiki } from '../../../access/wikis.ts'
import { wikiPageAddress, wikiPagesAddress, wikiWorkAddress } from '../../../addresses/documents.ts'
import { Failure } from '../../../failure.ts'
import { type Page, readPage, renderPage, titleIn } from '../../../features/documents/wikis/wikis.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { icon, isolated } from '../../frame/parts.ts'
import { proseHtml } from '../../frame/prose-html.ts'
import { withTickableTasks } from '../../project/tasks.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'
import { newButton, treeBeside } from './tree-view.ts'

/** How much is shown of a page that can't be rendered. */
const maxShown_chars = 256 * 1024

async function rendered({ app, place, user, ip }: Seen, page: Page, content: string): Promise<Html> {
  try {
    const made = await renderPage(app, { place, user, ip }, page, content, { within_page: true })
    return html`<div class="prose">${await proseHtml(app, made)}</div>`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return html`<p class="hint">${sentences.source}</p><pre class="message">${content.slice(0, maxShown_chars)}</pre>`
  }
}

export interface ShownPage {
  page: Page
  content: string
  /** The commit of this version. */
  last: Commit | null
  /** The page `_sidebar` at the same commit; null if there is none. */
  sidebar: { page: Page; content: string } | null
  pages: readonly Page[]
  isOld: boolean
}

export async function pageView(seen: Seen, { page, content, last, sidebar, pages, isOld }: ShownPage): Promise<Omit<View, 'above'>> {
  const { place, user, token } = seen
  const side = sidebar ? await rendered(seen, sidebar.page, sidebar.content) : treeBeside(place, pages, page)
  const title = titleIn(readPage(content).front_matter) ?? page.title
  const edit =
    mayWriteWiki(place, user) &&
    !isOld &&
    html`<a class="button primary" href="${wikiWorkAddress(place, 'edit', page.slug)}">${icon('edit')} Edit</a>`
  const history = wikiWorkAddress(place, 'history', page.slug)
  const prose = await rendered(seen, page, content)
  return {
    title: t`${title} · Wiki`,
    main: html`
      <div class="heading">
        <h1>${isolated(title)}</h1>
        <p class="actions"><a class="button" href="${history}">History</a>${edit}${newButton(seen)}</p>
      </div>
      ${isOld && html`<p class="hint">${sentences.old} <a href="${wikiPageAddress(place, page.slug)}">See the current one</a></p>`}
      <div class="wiki">
        <div>
          ${edit ? withTickableTasks(prose, { action: wikiWorkAddress(place, 'tasks', page.slug), token }) : prose}
          ${
            last &&
            html`
              <p class="hint">
                ${sentences.changedBy} <a href="${history}">${isolated(last.author.name)}</a>, ${ago(last.author.date)}
              </p>
            `
          }
        </div>
        <aside class="wiki-side" aria-label="Pages of the wiki">
          <h2>Pages</h2>
          ${side}
          <p><a href="${wikiPagesAddress(place)}">All ${count(pages.length, 'page')}</a></p>
        </aside>
      </div>
    `,
  }
}
