/** Housekeeping: what others may use of it. */
export { isUntidy, wanted } from './housekeeping.jobs.ts'
export { isHousekeepingDue, startHousekeeping } from './housekeeping.service.ts'
