/** The queue of merge requests of a branch: what the API calls a merge train, with its cars. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A merge request has one car: that of its place in the queue, or that with which it was merged. */
export interface MergeTrainCarTable {
  id: Generated<number>
  project_id: number
  merge_request_id: number
  target_branch: string
  /** The user who added it and in whose name it is merged; null once their account is deleted. */
  user_id: number | null
  /** `idle` waits to be tested, `stale` waits to be tested again, `fresh` is tested on what is before it. */
  status: 'idle' | 'stale' | 'fresh' | 'merging' | 'merged' | 'skip_merged'
  /** The tip of the source branch when it was added. */
  head_oid: string
  /** For one of a stack, behind the one below it: its own target branch, which it keeps until it is merged. Null for others. */
  stacked_branch: string | null
  /** The newest commit that it has from the one below it: only what follows is merged. Null where nothing is below it. */
  after_oid: string | null
  /** The commit on which it is merged for its test: the tip of the target, or the result of the one before. Null until then. */
  base_oid: string | null
  /** The result of merging it there: what is tested, and what becomes the tip of the target. */
  merged_oid: string | null
  merge_commit_oid: string | null
  squash_commit_oid: string | null
  /** The last car of those that one pipeline tests together; null until it is merged for a test. */
  batch_id: number | null
  pipeline_id: number | null
  /** Why its batch has failed without a pipeline, or though its pipeline hasn't ended. */
  failure: string | null
  /** When its pipeline was created. */
  tested_at: Instant | null
  created_at: Instant
  updated_at: Instant
  merged_at: Instant | null
}

export type MergeTrainCar = Selectable<MergeTrainCarTable>

/** A merge request that is merged as part of a stack: it waits until the one below it has been merged, or is before it in a queue. */
export interface StackedMergeTable {
  merge_request_id: number
  below_id: number
  /** In whose name it is merged. */
  user_id: number
  /** The tip of its source branch when that was asked for. */
  head_oid: string
  /** The tip after the last rebase that the merge of a request below made necessary: its commits are those of `head_oid`. */
  rebased_oid: string | null
  created_at: Instant
}

export type StackedMerge = Selectable<StackedMergeTable>

export interface MergeTrainTables {
  merge_train_cars: MergeTrainCarTable
  stacked_merges: StackedMergeTable
}
