/** Search in the code of all projects, by an index of trigrams (decision 81): what other features may use. */
export { searchIndex } from './lookup.service.ts'
