/** How far imports, forks and exports are. */
import type { Instant } from './columns.ts'

/** Work that goes on: the row is deleted when it ends. */
export interface TransferProgressTable {
  project_id: number
  work: 'import' | 'export'
  done_bytes: number
  /** Null where nobody knows how much there is. */
  total_bytes: number | null
  updated_at: Instant
}
