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
  /** Whether its title says that it is work in progress. */
  draft: Generated<boolean>
  /** Whether members of the target project may push to the source branch. */
  allow_collaboration: Generated<boolean>
  squash: Generated<boolean>
  /** Whether its author wants the source branch removed with the merge. */
  force_remove_source_branch: Generated<boolean>
  /** The tip of the source branch as of its last version. */
  head_oid: string | null
  /** The result of merging `checked_source_oid` into `checked_target_oid`. */
  merge_status: Generated<'unchecked' | 'can_be_merged' | 'cannot_be_merged'>
  checked_source_oid: string | null
  checked_target_oid: string | null
  merge_when_pipeline_succeeds: Generated<boolean>
  /** The user who asked for it to be merged. */
  merge_user_id: number | null
  /** A JSON object: how. */
  merge_params: string | null
  /** A JSON object, of one that is locked: the commit to which the target branch is about to move, and what belongs to it. */
  merge_under_way: string | null
  /** Why the last try failed. */
  merge_error: string | null
  /** The tip that a rebase under way leads to. */
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

/** How a reviewer has ended their last review; approvals are told apart. */
export type ReviewerState = 'unreviewed' | 'reviewed' | 'requested_changes'

export interface MergeRequestReviewerTable {
  merge_request_id: number
  user_id: number
  state: Generated<ReviewerState>
  created_at: Instant
}

export interface ApprovalTable {
  merge_request_id: number
  user_id: number
  created_at: Instant
}

export interface MergeRequestMentionTable {
  merge_request_id: number
  user_id: number
  /** Whether internal notes alone mention them. */
  internal: Generated<boolean>
}

export interface MergeRequestLabelTable {
  merge_request_id: number
  label_id: number
}

/** An issue that it closes when it is merged, by the words of its description and commits. */
export interface MergeRequestClosesTable {
  merge_request_id: number
  issue_id: number
}

/** The diff as of one push to the source branch. */
export interface MergeRequestVersionTable {
  id: Generated<number>
  merge_request_id: number
  /** The merge base; null of unrelated histories. */
  base_oid: string | null
  /** The tip of the target branch. */
  start_oid: string
  /** The tip of the source branch. */
  head_oid: string
  state: 'collected' | 'overflow' | 'empty' | 'without_files'
  /** How many files there are: `1000+` where some are left out. */
  real_size: string
  files: Generated<number>
  additions: Generated<number>
  deletions: Generated<number>
  commits: Generated<number>
  /** Null until it is first read; empty where the diff has none, or is too large. */
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
  /** Lines; null of a binary file. */
  additions: number | null
  deletions: number | null
}

/** Newest first. */
export interface MergeRequestVersionCommitTable {
  version_id: number
  position: number
  oid: string
}

/** A move of a branch, for which the version of the diff is still to be made. */
export interface PendingVersionTable {
  id: Generated<number>
  merge_request_id: number
  /** The user who moved it; null once they are deleted. */
  user_id: number | null
  /** The tip to which a push led the source branch; null where another change calls for a look at both branches. */
  head_oid: string | null
  created_at: Instant
}

/** A file that somebody has viewed: the mark holds as long as the file's blob is this one. */
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
  /** The discussion it replies to. */
  discussion_id: string | null
  body: string
  resolve_discussion: Generated<boolean>
  commit_oid: string | null
  /** JSON, as that of notes. */
  position: string | null
  line_code: string | null
  created_at: Instant
  updated_at: Instant
}

/** A change of lines that a note proposes. */
export interface SuggestionTable {
  id: Generated<number>
  note_id: number
  /** Its place in the note, from 0. */
  position: number
  from_content: string
  to_content: string
  lines_above: Generated<number>
  lines_below: Generated<number>
  applied: Generated<boolean>
  commit_oid: string | null
}

/** How many each project has by state: triggers keep it. */
export interface MergeRequestCountTable {
  project_id: number
  state: MergeRequest['state']
  number: number
}

export type MergeRequest = Selectable<MergeRequestTable>
export type MergeRequestVersion = Selectable<MergeRequestVersionTable>
export type MergeRequestVersionFile = Selectable<MergeRequestVersionFileTable>
export type PendingVersion = Selectable<PendingVersionTable>
export type DraftNote = Selectable<DraftNoteTable>
export type Suggestion = Selectable<SuggestionTable>
