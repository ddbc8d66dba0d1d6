/**
 * Wikis: what others may use of them.
 *
 * A wiki is a repository of its own and its pages have no rows: those would be a second truth, late after each push by git. The repository lies
 * where the id of `wikis` leads, and not beside the project: groups have wikis, too. Each write by the API is one commit, made again on the tip
 * if another came first.
 */

export { openWikiFile } from './attachments.service.ts'
export { indexOf, type Page, type PageIndex, tipOf } from './page-index.ts'
export { folderOf, isSpecial, type PageFormat, pageFormats, pageNameOf } from './page-names.ts'
export { readPage, titleIn } from './page-text.ts'
export { contentOf, editableContentOf, findPage, lookUpPage, pagesOf } from './pages.service.ts'
export { renderPage } from './render.service.ts'
export { copyWiki, restoreWiki, wikiWithPages } from './transfer.service.ts'
export { type WikiGranted, wikiOf } from './wikis.access.ts'
export { openOrCreateWiki } from './wikis.service.ts'
export { createPage, deletePage, rewritePage, updatePage } from './writes.service.ts'
