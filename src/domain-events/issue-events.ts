/** Events of issues. Rows are as the transaction left them. */
import type { Day, Instant, Issue, MergeRequest } from '../db/tables.ts'
import type { KnownActor } from './actor.ts'

export type IssueEvent =
  | IssueCreated
  | IssueChanged
  | IssueClosed
  | IssueReopened
  | IssueCopied
  | IssueRemoved
  | IssuesLinked
  | IssuesUnlinked

interface OfIssue {
  issue: Issue
  /** The id of the acting user. */
  actor_id: number
  at: Instant
}

export interface IssueCreated extends OfIssue {
  type: 'issue_created'
  actor?: KnownActor
  assignee_ids: number[]
  label_ids: number[]
  /** The issue of another project that is moved here: the records of its changes are copied. */
  copy_of: Issue | null
}

/** Ids before and after a change. */
export interface Difference {
  added: number[]
  removed: number[]
}

/** Something other than its state has changed, as the difference between `before` and `issue` shows. */
export interface IssueChanged extends OfIssue {
  type: 'issue_changed'
  before: Issue
  assignees: Difference
  labels: Difference
  /** Time logged in the same request. */
  time?: TimeSpent | null
}

export interface TimeSpent {
  /** Negative to subtract; null to remove all of it. */
  seconds: number | null
  spent_at: Day | null
}

/** The cause, if the issue wasn't closed by hand. A commit is one of the issue's project unless another is given. */
export type ClosedBy =
  | { commit_oid: string; project?: { id: number; full_path: string } }
  | { merge_request: MergeRequest; project_path: string }
  | { duplicate_of_id: number }
  | { moved_to_id: number }

export interface IssueClosed extends OfIssue {
  type: 'issue_closed'
  by: ClosedBy | null
}

export interface IssueReopened extends OfIssue {
  type: 'issue_reopened'
}

/** `to` is its copy: in another project, whereupon the issue is closed, if it was moved; a new issue of the actor if it was cloned. */
export interface IssueCopied extends OfIssue {
  type: 'issue_copied'
  to: Issue
  action: 'moved' | 'cloned'
}

/** Published before its row is deleted. */
export interface IssueRemoved extends OfIssue {
  type: 'issue_removed'
}

interface OfLink {
  source: Issue
  target: Issue
  /** `blocks`: the source blocks the target. */
  link_type: 'relates_to' | 'blocks'
  actor_id: number
  at: Instant
}

export interface IssuesLinked extends OfLink {
  type: 'issues_linked'
}

export interface IssuesUnlinked extends OfLink {
  type: 'issues_unlinked'
}
