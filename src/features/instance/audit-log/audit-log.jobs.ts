/** Background work of the audit log. */
import { job } from '../../../queue/queue.ts'
import { readSettings } from '../settings/settings.ts'
import { deleteAuditEventsBefore } from './audit-log.queries.ts'

const day_ms = 24 * 60 * 60_000

/** Deletes entries older than the setting allows; none unless it is set. */
export const pruneAuditLog = job<object>('audit_log.prune', {
  every_ms: day_ms,
  async handle(app) {
    const { audit_events_retention_days: days } = await readSettings(app.db)
    if (days === 0) return
    const before = new Date(Date.now() - days * day_ms).toISOString()
    while (await deleteAuditEventsBefore(app.db, before));
  },
})
