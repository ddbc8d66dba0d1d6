/** Freeze periods: what others may use of them. */
export { isFrozen } from './freeze-periods.service.ts'
