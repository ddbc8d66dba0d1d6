/** Triggers and schedules, which start pipelines besides pushes. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface CiTriggerTable {
  id: Generated<number>
  project_id: number
  owner_id: number | null
  description: string
  /** Sealed rather than hashed, since its owner may see it again. */
  token: string
  token_digest: string
  expires_at: Instant | null
  created_at: Instant
  updated_at: Instant
  last_used_at: Instant | null
}

export interface CiScheduleTable {
  id: Generated<number>
  project_id: number
  owner_id: number | null
  description: string
  ref: string
  cron: string
  cron_timezone: Generated<string>
  /** Null while the schedule is not active. */
  next_run_at: Instant | null
  active: Generated<boolean>
  /** Values of `spec:inputs` by name, as sealed JSON; null if there are none. */
  inputs: Generated<string | null>
  created_at: Instant
  updated_at: Instant
}

export interface CiScheduleVariableTable {
  schedule_id: number
  key: string
  /** Sealed. */
  value: string
  kind: Generated<'env_var' | 'file'>
  raw: Generated<boolean>
}

export type CiTrigger = Selectable<CiTriggerTable>
export type CiSchedule = Selectable<CiScheduleTable>
