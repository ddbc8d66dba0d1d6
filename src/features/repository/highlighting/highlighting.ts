/** Highlighted code: what other features may use. */
export { type HighlightedFile, highlightBlob, highlightBlobs, highlightTexts, plainLine, type SourceFile } from './highlighting.service.ts'
