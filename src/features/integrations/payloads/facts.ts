/** Facts about an event, stored until hooks are notified: rows as of the event, since they may change before. */
import type { CiDeployment, CiDeploymentApproval, Issue, MergeRequest, Note, PipelineStatus, Release } from '../../../db/tables.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import type { JobMoment, PipelineMoment } from './moments.ts'

export type Facts =
  | PushFacts
  | RepositoryFacts
  | IssueFacts
  | MergeRequestFacts
  | NoteFacts
  | JobFacts
  | PipelineFacts
  | DeploymentFacts
  | ReleaseFacts
  | WikiPageFacts

interface InProject {
  project_id: number
  /** The user who caused it; null if there is none. */
  user_id: number | null
}

export interface PushFacts extends InProject {
  kind: 'push'
  change: RefChange
  /** For hooks of the instance, which get no commits. */
  withoutCommits?: boolean
}

/** A whole push, for hooks of the instance. */
export interface RepositoryFacts extends InProject {
  kind: 'repository_update'
  changes: RefChange[]
}

/** Ids of labels and people of an issue or merge request. */
export interface Related {
  assignee_ids: number[]
  label_ids: number[]
}

interface Changed<Row> extends InProject, Related {
  row: Row
  /** Null if it is new. */
  before: (Partial<Row> & Partial<Related>) | null
}

export interface IssueFacts extends Changed<Issue> {
  kind: 'issue'
  action: 'open' | 'update' | 'close' | 'reopen'
}

export interface MergeRequestFacts extends Changed<MergeRequest> {
  kind: 'merge_request'
  action: 'open' | 'update' | 'close' | 'reopen' | 'merge' | 'approved' | 'unapproved'
  reviewer_ids: number[]
  /** For a push, the previous tip. */
  oldrev: string | null
}

/** With its noteable, except for commits, which git has. */
export interface NoteFacts extends InProject {
  kind: 'note'
  note: Note
  isConfidential: boolean
  issue: (Related & { row: Issue }) | null
  merge_request: (Related & { row: MergeRequest; reviewer_ids: number[] }) | null
  snippet_id: number | null
}

export interface JobFacts extends InProject, JobMoment {
  kind: 'job'
  status: PipelineStatus
}

export interface PipelineFacts extends InProject, PipelineMoment {
  kind: 'pipeline'
}

export interface DeploymentFacts extends InProject {
  kind: 'deployment'
  deployment: CiDeployment
  /** The decision that is reported; absent when the status of the deployment is. */
  approval?: Pick<CiDeploymentApproval, 'status' | 'comment'>
}

export interface ReleaseFacts extends InProject {
  kind: 'release'
  action: 'create' | 'update' | 'delete'
  release: Release
}

export interface WikiPageFacts extends InProject {
  kind: 'wiki_page'
  wiki_id: number
  action: 'create' | 'update' | 'delete'
  path: string
  /** The blob with its content; null if the page was deleted. */
  oid: string | null
  /** The commit that made the change. */
  commit_oid: string
}
