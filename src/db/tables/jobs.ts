/** Jobs of the queue. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface JobTable {
  id: Generated<number>
  name: string
  payload: string
  state: 'ready' | 'dead'
  /** When it may run next. A claim moves it ahead, so that the job of a crashed worker runs again. */
  run_at: Instant
  attempts: number
  last_error: string | null
  /** At most one ready job has a given key: for schedules, and for work that one later run covers. */
  unique_key: string | null
  /** Jobs with the same key run one at a time, in the order of their ids. */
  serial_key: string | null
  /** Id of the user on whose behalf it runs, who may be deleted; null if there is none. */
  asked_by: number | null
  /** The process that runs it, in the format of `program/process-identity.ts`; null while it waits. */
  owner: string | null
  created_at: Instant
}

export type Job = Selectable<JobTable>
