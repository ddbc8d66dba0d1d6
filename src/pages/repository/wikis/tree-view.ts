/** The pages of a wiki as a tree of folders: beside a page, and the list of all. */
import { mayWriteWiki, type WikiHome, wikiPath } from '../../../access/wikis.ts'
import { httpCloneUrl } from '../../../addresses/links.ts'
import { folderOf, type Page } from '../../../features/documents/wikis/wikis.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import type { View } from '../../frame/declaration.ts'
import { pagesBelow } from '../../frame/paging.ts'
import { copyable, emptyState, icon, isolated } from '../../frame/parts.ts'
import { placeAddress } from '../../planning/places/places.ts'
import { pageAddress, pagesAddress } from './addresses.ts'
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

/** Folders below stand in this one. */
const maxDepth = 20

/** Folders are open where the current page is in them, or where all pages are shown. */
function treeOf(place: WikiHome, pages: readonly Page[], current?: string): Html {
  const listOf = ({ pages: own, folders }: Folder, path: string): Html =>
    html`
      <ul>
        ${own.map(
          ({ slug, title }) =>
            html`
              <li>
                <a href="${pageAddress(place, slug)}"${slug === current && html` aria-current="page"`}>${isolated(title)}</a>
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

/** Of a large wiki those around the page: at the root, and in the folders that it is in. */
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

/** @param missing the slug that was asked for, where there is no such page */
export function pagesView(
  seen: Seen,
  pages: readonly Page[],
  { page = 1, missing }: { page?: number; missing?: string } = {},
): Omit<View, 'above'> {
  const { app, place } = seen
  const shown = pages.slice((page - 1) * perPage, page * perPage)
  return {
    title: 'Wiki',
    ...(missing !== undefined && { status: 404 }),
    main: html`
      <div class="heading">
        <h1>Wiki <span class="hint">${count(pages.length, 'page')}</span></h1>
        <p class="actions">${newButton(seen, missing)}</p>
      </div>
      ${missing !== undefined && html`<p>${sentences.noSuchPage(missing)}</p>`}
      ${pages.length === 0 ? emptyState(sentences.none) : treeOf(place, shown)}
      ${pagesBelow(pagesAddress(place), { page, per_page: perPage, total: pages.length })}
      <details class="wiki-clone">
        <summary>Clone</summary>
        ${copyable('Address of the wiki', httpCloneUrl(app.config, wikiPath(place.row)))}
      </details>
    `,
  }
}
