/** Markdown: what others may use of it. */
export { renderFile, renderFor, renderProse } from './markdown.service.ts'
