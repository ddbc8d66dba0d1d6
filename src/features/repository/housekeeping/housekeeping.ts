/** Housekeeping: what others may use of it. */
export { wanted } from './housekeeping.jobs.ts'
export { isHousekeepingDue, startHousekeeping } from './housekeeping.service.ts'
