/** Markdown and highlighted code: what others may use of them. */
export { isMisleading, revealControls } from './controls.ts'
export type { Markup } from './formats.ts'
export { countAnonymousText, highlightFile, renderFile, renderFor, renderProse, renderTemplate } from './markdown.service.ts'
export { pageLinkTo } from './page-links.ts'
export { proseOf } from './prose.ts'
export { type FoundReference, findMentions, findReferences, type Reference, type ReferenceKind } from './reference-syntax.ts'
export type { Flavour, ProjectHome } from './render.ts'
export { type OpenReference, openReferencesOfText, type Template } from './template.ts'
