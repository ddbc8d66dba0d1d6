/** The audit log, for pages. */
export { type AuditFilter, listAuditEvents, recordedEventNames } from './audit-log.queries.ts'
