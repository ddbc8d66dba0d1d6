/** Counts of the instance: what other features may use. */
export { countEverything } from './statistics.queries.ts'
