/** Events of the statuses of commits, and of the pipelines that follow from them. */
import type { Instant } from '../db/tables.ts'

export type StatusEvent = CommitStatusFailed | PipelineSucceeded

interface OfCommit {
  /** The project in which it was built: of a merge request from a fork, the fork or the target. */
  project_id: number
  sha: string
  at: Instant
}

/** A status has failed that must not. Others of the same commit may follow. */
export interface CommitStatusFailed extends OfCommit {
  type: 'commit_status_failed'
}

/** Everything that was built of the commit has succeeded. */
export interface PipelineSucceeded extends OfCommit {
  type: 'pipeline_succeeded'
}
