/** Pipelines and commit statuses. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

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

export type Pipeline = Selectable<PipelineTable>
export type CommitStatus = Selectable<CommitStatusTable>
