/** Housekeeping: what others may use of it. */
export { isHousekeepingDue, startHousekeeping } from './housekeeping.service.ts'
