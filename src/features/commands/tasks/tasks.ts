/** Ticking tasks where they stand: what others may use of it. */
export { type Tick, ticked, tickInIssue, tickInMergeRequest, tickInNote } from './tasks.service.ts'
