/** Contributors and languages: what other features may use. */
export type { Languages } from './stats.counting.ts'
export { contributorsAt, countedSoFar, languagesOf } from './stats.service.ts'
