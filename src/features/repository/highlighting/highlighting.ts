/** Highlighted code: what others may use of it. */
export { type HighlightedFile, highlightBlob, highlightBlobs, highlightTexts, plainLine, type SourceFile } from './highlighting.service.ts'
