/** Counts of the instance: what others may use of them. */
export { countEverything } from './statistics.queries.ts'
