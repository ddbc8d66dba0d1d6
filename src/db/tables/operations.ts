/** Operational data: feature flags, metrics of the queue, failures of the storage. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A flag set by an administrator; others have their defaults. */
export interface FeatureTable {
  name: string
}

/** For whom a flag is on: one row per value of a gate. */
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
  /** In the format of `program/process-identity.ts`. */
  process: string
  hostname: string
  pid: number
  started_at: Instant
  /** At most one or two minutes old while the process is alive. */
  seen_at: Instant
}

/** One row with id 1: the total attempts of all jobs. */
export interface QueueTotalTable {
  id: number
  processed: number
  failed: number
}

/** A machine that can't write to the repository storage. */
export interface StorageFailureTable {
  hostname: string
  /** Consecutive failed checks since the last success. */
  failures: number
  last_at: Instant
}

export type FeatureGate = Selectable<FeatureGateTable>
export type QueueWorker = Selectable<QueueWorkerTable>
