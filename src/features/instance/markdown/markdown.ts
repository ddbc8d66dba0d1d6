/** Markdown: what others may use of it. */
export { renderProse } from './markdown.service.ts'
