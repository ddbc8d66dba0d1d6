/** Tables of operation: feature flags, figures of the queue, failures of the storage. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A flag that was set, by an administrator; others have their defaults. */
export interface FeatureTable {
  name: string
}

/** For whom a flag is on: one row for each value of a gate. */
export interface FeatureGateTable {
  id: Generated<number>
  feature_name: string
  kind: 'boolean' | 'groups' | 'actors' | 'percentage_of_actors' | 'percentage_of_time'
  /** `true`, a percentage, or the name of a feature group; null for actors. */
  value: string | null
  /** One of these is set if the gate is for an actor. */
  user_id: number | null
  namespace_id: number | null
  project_id: number | null
}

/** A process that runs the queue. */
export interface QueueWorkerTable {
  /** As `program/process-identity.ts` writes it. */
  process: string
  hostname: string
  pid: number
  started_at: Instant
  /** At most a minute or two old while it lives. */
  seen_at: Instant
}

/** One row, with id 1: the attempts of all jobs so far. */
export interface QueueTotalTable {
  id: number
  processed: number
  failed: number
}

/** A machine that can't write to the repository storage. */
export interface StorageFailureTable {
  hostname: string
  /** Failed checks since the last that succeeded. */
  failures: number
  last_at: Instant
}

export type FeatureGate = Selectable<FeatureGateTable>
export type QueueWorker = Selectable<QueueWorkerTable>
