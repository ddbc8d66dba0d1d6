/** Wikis: what others may use of them. */

export { openWikiFile } from './attachments.service.ts'
export { indexOf, type Page, type PageIndex, tipOf } from './page-index.ts'
export { folderOf, isSpecial, type PageFormat, pageFormats, pageNameOf } from './page-names.ts'
export { readPage, titleIn } from './page-text.ts'
export { contentOf, editableContentOf, findPage, lookUpPage, pagesOf } from './pages.service.ts'
export { renderPage } from './render.service.ts'
export { copyWiki, restoreWiki, wikiWithPages } from './transfer.service.ts'
export { type WikiGranted, wikiOf } from './wikis.access.ts'
export { openOrCreateWiki } from './wikis.service.ts'
export { createPage, deletePage, updatePage } from './writes.service.ts'
