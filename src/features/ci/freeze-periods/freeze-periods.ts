/** Freeze periods: what other features may use. */
export { isFrozen } from './freeze-periods.service.ts'
