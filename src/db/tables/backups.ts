/** Leases of backups. */
import type { Instant } from './columns.ts'

/** A backup under way (`backups.ts`). */
export interface BackupTable {
  id: string
  expires_at: Instant
}
