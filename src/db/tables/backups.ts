/** Leases of backups. */
import type { Instant } from './columns.ts'

/** A running backup (`backups.ts`). */
export interface BackupTable {
  id: string
  expires_at: Instant
}
