/** Counts of fetches: what other features, pages and git's protocols may use. */
export { countFetch, fetchesOf, lastDays, watchFetches, writeFetches } from './fetches.service.ts'
