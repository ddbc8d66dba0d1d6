/** Progress of imports, forks and exports. */
import type { Instant } from './columns.ts'

/** A transfer in progress: the row is deleted when it ends. */
export interface TransferProgressTable {
  project_id: number
  work: 'import' | 'export'
  done_bytes: number
  /** Null if the total is unknown. */
  total_bytes: number | null
  updated_at: Instant
}
