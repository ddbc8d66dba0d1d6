/** Broadcast messages. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface BroadcastMessageTable {
  id: Generated<number>
  message: string
  starts_at: Instant
  ends_at: Instant
  color: string | null
  font: string | null
  created_at: Instant
  /** Null if it was never changed. */
  updated_at: Instant | null
}

export type BroadcastMessage = Selectable<BroadcastMessageTable>
