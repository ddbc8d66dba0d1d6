/** Housekeeping: what other features may use. */
export { isUntidy, wanted } from './housekeeping.jobs.ts'
export { isHousekeepingDue, startHousekeeping } from './housekeeping.service.ts'
