/** Markdown: what others may use of it. */
export { renderFor, renderProse } from './markdown.service.ts'
