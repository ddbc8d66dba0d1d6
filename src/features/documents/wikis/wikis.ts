/**
 * Wikis: what other features may use. A wiki is a repository and its pages have no rows, which would duplicate the data and be outdated
 * after each push. The path of the repository depends on the id in `wikis`, not on the project, since groups have wikis, too. Each write of
 * the API is one commit, created again on the new tip if another commit came first.
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
