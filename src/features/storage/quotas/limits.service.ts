/** Changes the limits of what may be stored; the audit log records who did. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { limitsOf, type SizeLimits, setLimits } from './quotas.queries.ts'

const names = ['repository_size_limit', 'storage_size_limit'] as const

/** Sets the given limits, and keeps the others. */
export async function changeLimits(app: App, place: { project_id: number } | { namespace_id: number }, limits: SizeLimits): Promise<void> {
  if (names.every((name) => limits[name] === undefined)) return
  await inTransaction(app.db, async (tx) => {
    const before = await limitsOf(tx, place)
    await setLimits(tx, place, limits)
    for (const name of names) {
      const [from = null, to] = [before[name], limits[name]]
      if (to !== undefined && to !== from) await publish(tx, { type: 'size_limit_changed', place, limit: name, from, to })
    }
  })
}
