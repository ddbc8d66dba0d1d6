/** Merge requests, the versions of their diffs, and reviews. */
import type { Generated, Selectable } from 'kysely'
import type { Instant, IssuableFields } from './columns.ts'

export interface MergeRequestTable extends IssuableFields {
  /** Null once the fork is deleted. */
  source_project_id: number | null
  /** Names without `refs/heads/`. */
  source_branch: string
  target_branch: string
  /** `locked` while it is being merged. */
  state: Generated<'opened' | 'closed' | 'locked' | 'merged'>
  /** Whether its title marks it as a draft. */
  draft: Generated<boolean>
  /** Whether members of the target project may push to the source branch. */
  allow_collaboration: Generated<boolean>
  squash: Generated<boolean>
  /** Whether its author wants the source branch to be removed with the merge. */
  force_remove_source_branch: Generated<boolean>
  /** The tip of the source branch as of its last version. */
  head_oid: string | null
  /** The result of merging `checked_source_oid` into `checked_target_oid`. */
  merge_status: Generated<'unchecked' | 'can_be_merged' | 'cannot_be_merged'>
  checked_source_oid: string | null
  checked_target_oid: string | null
  merge_when_pipeline_succeeds: Generated<boolean>
  /** The user who requested the merge. */
  merge_user_id: number | null
  /** Options of the requested merge, as a JSON object. */
  merge_params: string | null
  /** For a locked merge request, a JSON object: the commit to which the target branch is about to move, with related data. */
  merge_under_way: string | null
  /** Why the last merge attempt failed. */
  merge_error: string | null
  /** The new tip of a running rebase. */
  rebase_oid: string | null
  merge_commit_oid: string | null
  squash_commit_oid: string | null
  merged_by_id: number | null
  merged_at: Instant | null
}

export interface MergeRequestAssigneeTable {
  merge_request_id: number
  user_id: number
}

/** The result of a reviewer's last review; approvals are stored separately. */
export type ReviewerState = 'unreviewed' | 'reviewed' | 'requested_changes'

export interface MergeRequestReviewerTable {
  merge_request_id: number
  user_id: number
  state: Generated<ReviewerState>
  created_at: Instant
}

export interface MergeRequestMentionTable {
  merge_request_id: number
  user_id: number
  /** Whether only internal notes mention them. */
  internal: Generated<boolean>
}

export interface MergeRequestLabelTable {
  merge_request_id: number
  label_id: number
}

/** An issue that is closed by the merge, as stated in the description or commits. */
export interface MergeRequestClosesTable {
  merge_request_id: number
  issue_id: number
}

/** A commit of the project that is not of the merge request, and explains it. */
export interface ContextCommitTable {
  id: Generated<number>
  merge_request_id: number
  oid: string
}

/** The one is merged only after the other; the two may be of different projects. */
export interface MergeRequestBlockTable {
  id: Generated<number>
  blocking_merge_request_id: number
  blocked_merge_request_id: number
  created_at: Instant
}

/** The diff as of one push to the source branch. */
export interface MergeRequestVersionTable {
  id: Generated<number>
  merge_request_id: number
  /** The merge base; null for unrelated histories. */
  base_oid: string | null
  /** The tip of the target branch. */
  start_oid: string
  /** The tip of the source branch. */
  head_oid: string
  state: 'collected' | 'overflow' | 'empty' | 'without_files'
  /** Number of files: `1000+` if some are left out. */
  real_size: string
  files: Generated<number>
  additions: Generated<number>
  deletions: Generated<number>
  commits: Generated<number>
  /** Null until it is first computed; empty if the diff is empty or too large. */
  patch_id: Generated<string | null>
  created_at: Instant
}

export interface MergeRequestVersionFileTable {
  version_id: number
  position: number
  old_path: string
  new_path: string
  old_mode: string
  new_mode: string
  old_oid: string
  new_oid: string
  status: 'added' | 'deleted' | 'modified' | 'renamed'
  /** Lines; null for a binary file. */
  additions: number | null
  deletions: number | null
}

/** Newest first. */
export interface MergeRequestVersionCommitTable {
  version_id: number
  position: number
  oid: string
  /** Identifies the change when its commit is rewritten: Gerrit's hooks and jj put it into the commit. */
  change_id: string | null
}

/** A moved branch, for which the new version of the diff has not been created yet. */
export interface PendingVersionTable {
  id: Generated<number>
  merge_request_id: number
  /** The user who moved it; null once they are deleted. */
  user_id: number | null
  /** The tip of the source branch after a push; null if another change requires both branches to be compared again. */
  head_oid: string | null
  created_at: Instant
}

/** A file marked as viewed: the mark is valid while the file has this blob. */
export interface ViewedFileTable {
  user_id: number
  merge_request_id: number
  path: string
  oid: string
  viewed_at: Instant
}

/** A comment that only its author sees until they submit their review. */
export interface DraftNoteTable {
  id: Generated<number>
  merge_request_id: number
  author_id: number
  /** The discussion that it replies to. */
  discussion_id: string | null
  body: string
  resolve_discussion: Generated<boolean>
  commit_oid: string | null
  /** JSON, in the format of notes. */
  position: string | null
  line_code: string | null
  created_at: Instant
  updated_at: Instant
}

/** A change of lines that a note suggests. */
export interface SuggestionTable {
  id: Generated<number>
  note_id: number
  /** Index within the note, from 0. */
  position: number
  from_content: string
  to_content: string
  lines_above: Generated<number>
  lines_below: Generated<number>
  applied: Generated<boolean>
  commit_oid: string | null
}

/** The number of merge requests of each project by state, maintained by triggers. */
/** The branches that a status check is for; without any, it is for all of them. */
export interface StatusCheckBranchTable {
  hook_id: number
  protected_branch_id: number
}

export type CheckStatus = 'pending' | 'passed' | 'failed'

/** The last answer of a status check about a merge request; void once the head is another. */
export interface StatusCheckAnswerTable {
  id: Generated<number>
  merge_request_id: number
  hook_id: number
  head_oid: string
  status: CheckStatus
  updated_at: Instant
}

export interface MergeRequestCountTable {
  project_id: number
  state: MergeRequest['state']
  number: number
}

export type MergeRequestBlock = Selectable<MergeRequestBlockTable>
export type MergeRequest = Selectable<MergeRequestTable>
export type MergeRequestVersion = Selectable<MergeRequestVersionTable>
export type MergeRequestVersionCommit = Selectable<MergeRequestVersionCommitTable>
export type MergeRequestVersionFile = Selectable<MergeRequestVersionFileTable>
export type PendingVersion = Selectable<PendingVersionTable>
export type DraftNote = Selectable<DraftNoteTable>
export type StatusCheckAnswer = Selectable<StatusCheckAnswerTable>
export type Suggestion = Selectable<SuggestionTable>

export interface MergeRequestTables {
  draft_notes: DraftNoteTable
  merge_request_assignees: MergeRequestAssigneeTable
  merge_request_blocks: MergeRequestBlockTable
  context_commits: ContextCommitTable
  merge_request_closes: MergeRequestClosesTable
  merge_request_counts: MergeRequestCountTable
  merge_request_labels: MergeRequestLabelTable
  merge_request_mentions: MergeRequestMentionTable
  merge_request_reviewers: MergeRequestReviewerTable
  merge_requests: MergeRequestTable
  merge_request_version_commits: MergeRequestVersionCommitTable
  merge_request_version_files: MergeRequestVersionFileTable
  merge_request_versions: MergeRequestVersionTable
  pending_versions: PendingVersionTable
  status_check_answers: StatusCheckAnswerTable
  status_check_branches: StatusCheckBranchTable
  suggestions: SuggestionTable
  viewed_files: ViewedFileTable
}
