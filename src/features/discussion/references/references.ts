/**
 * References: what other features may use. Texts are rendered once with placeholders for references, which each read fills in for its
 * reader: HTML in the database, or cached by reader, would have to be invalidated by each change of a title, path or permission. A hidden
 * reference is displayed as it was written, like one to something that doesn't exist. What follows from a text is determined from its
 * Markdown, in the transaction that wrote it, with the permissions of its author.
 */
export { closingReferences } from './closing.ts'
export { type Mentions, mentionedUsers, namesAddedTo, usersNamedIn } from './mentions.service.ts'
export { type MentionInText, referencesIn } from './parse.ts'
export { type Reader, type RenderOptions, renderPlainTexts, renderText, renderTexts } from './render.service.ts'
export { type Home, type Referenced, type Resolved, resolveReferences } from './resolve.ts'
