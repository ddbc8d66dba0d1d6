/** References: what others may use of them. */
export { closingReferences } from './closing.ts'
export { type Mentions, mentionedUsers } from './mentions.service.ts'
export { type MentionInText, referencesIn } from './parse.ts'
export { type Reader, type RenderOptions, renderPlainTexts, renderText, renderTexts } from './render.service.ts'
export { type Home, type Referenced, type Resolved, resolveReferences } from './resolve.ts'
