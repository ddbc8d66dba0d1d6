/** Markdown: what others may use of it. */
export { renderFile, renderProse } from './markdown.service.ts'
