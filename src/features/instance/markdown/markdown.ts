/** Markdown and highlighted code: what others may use of them. */
export { isMisleading, revealControls } from './controls.ts'
export { highlightFile, renderFile, renderFor, renderProse } from './markdown.service.ts'
