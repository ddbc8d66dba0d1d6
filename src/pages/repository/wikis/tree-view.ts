/** The pages of a wiki as a tree of folders: beside a page, and as the list of all. */

import { mayWriteWiki, type WikiHome, wikiPath } from '../../../access/wikis.ts'
import { wikiPageAddress, wikiPagesAddress } from '../../../addresses/documents.ts'
import { httpCloneUrl } from '../../../addresses/links.ts'
import { placeAddress } from '../../../addresses/places.ts'
import { folderOf, type Page } from '../../../features/documents/wikis/wikis.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { copyable, emptyState, icon, isolated } from '../../frame/parts.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'

const maxBeside = 100
const perPage = 500

interface Folder {
  pages: Page[]
  folders: Map<string, Folder>
}

const newFolder = (): Folder => ({ pages: [], folders: new Map() })

function foldersOf(pages: readonly Page[]): Folder {
  const root = newFolder()
  for (const page of pages) {
    let folder = root
    for (const name of folderOf(page.slug).split('/').filter(Boolean).slice(0, maxDepth)) {
      const found = folder.folders.get(name) ?? newFolder()
      folder.folders.set(name, found)
      folder = found
    }
    folder.pages.push(page)
  }
  return root
}

/** Deeper folders are shown in this one. */
const maxDepth = 20

/** Folders are open if they contain the current page, or if all pages are shown. */
function treeOf(place: WikiHome, pages: readonly Page[], current?: string): Html {
  const listOf = ({ pages: own, folders }: Folder, path: string): Html =>
    html`
      <ul>
        ${own.map(
          ({ slug, title }) =>
            html`
              <li>
                <a href="${wikiPageAddress(place, slug)}"${slug === current && html` aria-current="page"`}>${isolated(title)}</a>
              </li>
            `,
        )}
        ${[...folders].map(([name, folder]) => {
          const below = `${path}${name}/`
          const isOpen = current === undefined || current.startsWith(below)
          return html`
            <li>
              <details${isOpen && html` open`}>
                <summary>${isolated(name.replace(/-+/g, ' '))}</summary>
                ${listOf(folder, below)}
              </details>
            </li>
          `
        })}
      </ul>
    `
  return html`<div class="wiki-tree">${listOf(foldersOf(pages), '')}</div>`
}

/** Pages beside a page. In a large wiki only those near it: at the root, and in the folders above it. */
export function treeBeside(place: WikiHome, pages: readonly Page[], current: Page): Html {
  const isNear = ({ slug }: Page) => folderOf(slug) === '' || `${folderOf(current.slug)}/`.startsWith(`${folderOf(slug)}/`)
  const near = pages.length <= maxBeside ? pages : pages.filter(isNear).slice(0, maxBeside)
  return treeOf(place, near, current.slug)
}

export const newButton = ({ place, user }: Seen, title?: string) =>
  mayWriteWiki(place, user) &&
  html`
    <a
      class="button"
      href="${placeAddress(place, 'wikis')}/-/new${title !== undefined && `?title=${encodeURIComponent(title)}`}"
    >${icon('plus')} New page</a>
  `

/** @param missing the requested slug, if there is no such page */
export function pagesView(
  seen: Seen,
  pages: readonly Page[],
  { page = 1, missing }: { page?: number; missing?: string } = {},
): Omit<View, 'above'> {
  const { app, place } = seen
  const shown = pages.slice((page - 1) * perPage, page * perPage)
  return {
    title: t`Wiki`,
    ...(missing !== undefined && { status: 404 }),
    main: html`
      <div class="heading">
        <h1>Wiki <span class="hint">${count(pages.length, 'page')}</span></h1>
        <p class="actions">${newButton(seen, missing)}</p>
      </div>
      ${missing !== undefined && html`<p>${sentences.noSuchPage(missing)}</p>`}
      ${pages.length === 0 ? emptyState(sentences.none) : treeOf(place, shown)}
      ${pagesBelow(wikiPagesAddress(place), { page, per_page: perPage, total: pages.length })}
      <details class="wiki-clone">
        <summary>Clone</summary>
        ${copyable(t`Address of the wiki`, httpCloneUrl(app.config, wikiPath(place.row)))}
      </details>
    `,
  }
}
