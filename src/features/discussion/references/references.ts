/**
 * References: what others may use of them.
 *
 * Texts are rendered once, with holes where references stand, and each read fills the holes for its reader: HTML in the database, or cached by
 * reader, would have to be found again with each change of a title, a path or a right. What is hidden stays as it was written, like what doesn't
 * exist. What follows from a text reads its Markdown in the transaction that wrote it, with the rights of its author.
 */
export { closingReferences } from './closing.ts'
export { type Mentions, mentionedUsers, namesAddedTo } from './mentions.service.ts'
export { type MentionInText, referencesIn } from './parse.ts'
export { type Reader, type RenderOptions, renderPlainTexts, renderText, renderTexts } from './render.service.ts'
export { type Home, type Referenced, type Resolved, resolveReferences } from './resolve.ts'
