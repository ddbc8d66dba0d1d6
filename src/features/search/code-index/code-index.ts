/** Search in the code of everything, by an index of trigrams (decision 81): what others may use of it. */
export type { Within } from './code-index.queries.ts'
export { searchIndex } from './lookup.service.ts'
