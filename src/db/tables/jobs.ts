/** Jobs of the queue. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface JobTable {
  id: Generated<number>
  name: string
  payload: string
  state: 'ready' | 'dead'
  /** When it may run next; a claim moves it ahead, so that a crashed worker's job comes back. */
  run_at: Instant
  attempts: number
  last_error: string | null
  /** At most one ready job carries a given key: schedules and work that one later run covers. */
  unique_key: string | null
  /** Jobs of one key run one at a time, in the order of their ids. */
  serial_key: string | null
  /** Id of the user who wants it, who may be gone; null where nobody does. */
  asked_by: number | null
  /** The process that runs it, as `program/process-identity.ts` writes it; null for one that waits. */
  owner: string | null
  created_at: Instant
}

export type Job = Selectable<JobTable>
