/** Events of merge requests. Rows are as the transaction left them. */
import type { Instant, MergeRequest } from '../db/tables.ts'
import type { KnownActor } from './actor.ts'
import type { Difference, TimeSpent } from './issue-events.ts'

export type MergeRequestEvent =
  | MergeRequestCreated
  | MergeRequestChanged
  | MergeRequestPushed
  | MergeRequestVersionCreated
  | MergeRequestClosed
  | MergeRequestReopened
  | MergeRequestMerged
  | MergeRequestUnmergeable
  | MergeScheduled
  | MergeUnscheduled
  | MergeRequestQueued
  | MergeRequestUnqueued
  | MergeRequestReady
  | SourceBranchDeleted
  | ApprovalAsked
  | MergeRequestApproved
  | MergeRequestUnapproved
  | StatusCheckAnswered
  | ApprovalsKept
  | MergeRequestRestacked
  | MergeRequestStacked
  | MergeRequestUnstacked
  | MergeRequestRemoved

interface OfMergeRequest {
  merge_request: MergeRequest
  /** The id of the acting user. */
  actor_id: number
  at: Instant
}

export interface MergeRequestCreated extends OfMergeRequest {
  type: 'merge_request_created'
  actor?: KnownActor
  assignee_ids: number[]
  reviewer_ids: number[]
  label_ids: number[]
}

/** Something other than its state and commits has changed, as the difference between `before` and `merge_request` shows. */
export interface MergeRequestChanged extends OfMergeRequest {
  type: 'merge_request_changed'
  before: MergeRequest
  assignees: Difference
  reviewers: Difference
  labels: Difference
  /** Time logged in the same request. */
  time: TimeSpent | null
}

/** Its source branch has moved, so there is a new version of its diff. */
export interface MergeRequestPushed extends OfMergeRequest {
  type: 'merge_request_pushed'
  version_id: number
  /** The former tip. */
  before_oid: string
  /** Commits that were added, oldest first; at most 10,000. */
  added_oids: string[]
  /** Commits that came from the target branch, oldest first. */
  existing_oids: string[]
  /** Whether commits were removed, because the branch was rewritten. */
  is_forced: boolean
}

/** There is a new version of its diff, other than the first: its source branch was pushed, or its target has changed. */
export interface MergeRequestVersionCreated extends OfMergeRequest {
  type: 'merge_request_version_created'
  version_id: number
  before_version_id: number
  /** Whether every line that it changes is as before, wherever it stands: after a rebase, for example. */
  is_same_change: boolean
  /** The code owners of what is another change than before, as the CODEOWNERS file names them; null if that isn't known. */
  changed_owners: readonly string[] | null
}

export interface MergeRequestClosed extends OfMergeRequest {
  type: 'merge_request_closed'
}

export interface MergeRequestReopened extends OfMergeRequest {
  type: 'merge_request_reopened'
}

export interface MergeRequestMerged extends OfMergeRequest {
  type: 'merge_request_merged'
  /** The commit of the target branch that merged it. */
  commit_oid: string
  /** Its target branch before, where a queue has merged it behind another one of its stack. */
  stacked_branch?: string | null | undefined
}

/** It had no known conflicts, and now it has some. Its author counts as the actor, since nobody caused it. */
export interface MergeRequestUnmergeable extends OfMergeRequest {
  type: 'merge_request_unmergeable'
}

/** It will be merged automatically when the pipeline of this commit succeeds. */
export interface MergeScheduled extends OfMergeRequest {
  type: 'merge_request_merge_scheduled'
  /** The tip of its source branch. */
  oid: string
  /** Whether it was already scheduled, and only the options have changed. */
  is_update: boolean
}

/** It will no longer be merged automatically: that was canceled, or its commits have changed. */
export interface MergeUnscheduled extends OfMergeRequest {
  type: 'merge_request_merge_unscheduled'
  reason: 'canceled' | 'source_changed' | 'target_changed'
}

/** It has got a place in the queue of its target branch. */
export interface MergeRequestQueued extends OfMergeRequest {
  type: 'merge_request_queued'
  /** From 1. */
  position: number
}

/** It has left the queue without being merged. */
export interface MergeRequestUnqueued extends OfMergeRequest {
  type: 'merge_request_unqueued'
  /** The end of a sentence; null where somebody has taken it out. */
  because: string | null
}

/** Nothing keeps it any longer from the queue into which it is to go. */
export interface MergeRequestReady extends OfMergeRequest {
  type: 'merge_request_ready'
}

/** Its source branch was deleted while it was open. Published before it is closed. */
export interface SourceBranchDeleted extends OfMergeRequest {
  type: 'merge_request_source_deleted'
}

/** Rules of the merge request itself name these users now, and did not before. */
export interface ApprovalAsked extends OfMergeRequest {
  type: 'merge_request_approval_asked'
  user_ids: number[]
}

export interface MergeRequestApproved extends OfMergeRequest {
  type: 'merge_request_approved'
}

/** Another system has said whether it passes; or is asked again, and has to. */
export interface StatusCheckAnswered extends OfMergeRequest {
  type: 'status_check_answered'
}

export interface MergeRequestUnapproved extends OfMergeRequest {
  type: 'merge_request_unapproved'
}

/** Its source branch was pushed, and its approvals stay: what it changes is the same as before. */
export interface ApprovalsKept extends OfMergeRequest {
  type: 'merge_request_approvals_kept'
}

/** Its source branch was rebased by itself, in the name of its author, as the request below it was merged, or was rebased so. */
export interface MergeRequestRestacked extends OfMergeRequest {
  type: 'merge_request_restacked'
  below: MergeRequest
  /** The former tip of its source branch, and the new one. */
  before_oid: string
  after_oid: string
}

/** It is to be merged with its stack, after the one below it. */
export interface MergeRequestStacked extends OfMergeRequest {
  type: 'merge_request_stacked'
  below: MergeRequest
}

/** It is no longer merged with its stack. */
export interface MergeRequestUnstacked extends OfMergeRequest {
  type: 'merge_request_unstacked'
  /** The end of a sentence. */
  because: string
}

/** Published before its row is deleted. */
export interface MergeRequestRemoved extends OfMergeRequest {
  type: 'merge_request_removed'
}
