/** The tables around a repository: pushes and their events, protection, releases, comments, pipelines, counts. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../tables.ts'

/** A change of refs that was allowed and may have happened: gone again once its effects are recorded. */
export interface PushIntentTable {
  id: Generated<number>
  project_id: number
  user_id: number
  /** Which process carries it out, as `process-identity.ts` writes it. */
  process: string
  /** A JSON array of RefChange. */
  changes: string
  created_at: Instant
}

/** What somebody did. A push has a row for each ref, without a target. */
export interface EventTable {
  id: Generated<number>
  project_id: number | null
  author_id: number
  action: 'pushed' | 'commented' | 'joined' | 'left' | 'expired'
  target_type: string | null
  target_id: number | null
  /** Full name, `refs/heads/main`; null for what is no push. */
  ref: string | null
  /** Null for a ref that was created. */
  before_oid: string | null
  /** Null for a ref that was deleted. */
  after_oid: string | null
  /** Null until the queue has counted them. */
  commit_count: number | null
  commit_title: string | null
  created_at: Instant
}

/** `name` may hold wildcards. A level of 0 is nobody. */
export interface ProtectedBranchTable {
  id: Generated<number>
  project_id: number
  name: string
  push_level: number
  merge_level: number
  updated_at: Instant
}

export interface ProtectedTagTable {
  id: Generated<number>
  project_id: number
  name: string
  create_level: number
  updated_at: Instant
}

export interface ReleaseTable {
  id: Generated<number>
  project_id: number
  tag_name: string
  description: string
  created_at: Instant
  updated_at: Instant
}

export interface CommitCommentTable {
  id: Generated<number>
  project_id: number
  commit_oid: string
  author_id: number
  note: string
  /** Null, with line and type, for a comment on the commit as a whole. */
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
  created_at: Instant
}

export type PipelineStatus = 'created' | 'pending' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped'

export interface PipelineTable {
  id: Generated<number>
  project_id: number
  ref: string
  sha: string
  tag: boolean
  source: 'external'
  status: PipelineStatus
  user_id: number | null
  created_at: Instant
  updated_at: Instant
  started_at: Instant | null
  finished_at: Instant | null
}

export interface CommitStatusTable {
  id: Generated<number>
  project_id: number
  pipeline_id: number
  sha: string
  ref: string
  name: string
  stage: string
  status: 'pending' | 'running' | 'success' | 'failed' | 'canceled'
  target_url: string | null
  description: string | null
  coverage: number | null
  allow_failure: boolean
  author_id: number | null
  created_at: Instant
  started_at: Instant | null
  finished_at: Instant | null
}

/** What was last counted of a repository, and for which tip of its default branch. */
export interface RepositoryFactTable {
  project_id: number
  kind: 'contributors' | 'languages'
  /** A commit. While contributors are being counted, the commits from which all that is counted is reached, parted by spaces. */
  tip: string
  /** JSON, as its kind has it. */
  facts: string
}

export type PushIntent = Selectable<PushIntentTable>
export type ProtectedBranch = Selectable<ProtectedBranchTable>
export type ProtectedTag = Selectable<ProtectedTagTable>
export type Release = Selectable<ReleaseTable>
export type CommitComment = Selectable<CommitCommentTable>
export type Pipeline = Selectable<PipelineTable>
export type CommitStatus = Selectable<CommitStatusTable>
