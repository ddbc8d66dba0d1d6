/** Contributors and languages: what others may use of them. */
export type { Languages } from './stats.counting.ts'
export { contributorsAt, countedSoFar, languagesOf } from './stats.service.ts'
