/** Housekeeping: what others may use of it. */
export { startHousekeeping } from './housekeeping.service.ts'
