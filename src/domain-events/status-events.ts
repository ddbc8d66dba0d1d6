/** Events of commit statuses, and of the pipelines that result from them. */
import type { Instant } from '../db/tables.ts'

export type StatusEvent = CommitStatusFailed | PipelineSucceeded

interface OfCommit {
  /** The project in which it was built: for a merge request from a fork, the fork or the target. */
  project_id: number
  sha: string
  at: Instant
}

/** A status that may not fail has failed. Others of the same commit may follow. */
export interface CommitStatusFailed extends OfCommit {
  type: 'commit_status_failed'
}

/** Everything that was built for the commit has succeeded. */
export interface PipelineSucceeded extends OfCommit {
  type: 'pipeline_succeeded'
}
