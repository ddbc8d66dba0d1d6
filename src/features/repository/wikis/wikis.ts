/** Wikis: what others may use of them. */
export { indexOf, type Page, type PageIndex, tipOf } from './page-index.ts'
export { type PageFormat, pageFormats } from './page-names.ts'
export { contentOf, contentsOf, findPage, pagesOf } from './pages.service.ts'
export { type WikiGranted, wikiOf } from './wikis.access.ts'
export { openOrCreateWiki } from './wikis.service.ts'
