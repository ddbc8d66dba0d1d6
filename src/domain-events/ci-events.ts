/** Events of pipelines and their jobs, published in the transaction that changes them. */
import type { CiDeployment, CiDeploymentApproval, Instant, Pipeline, PipelineStatus } from '../db/tables.ts'

export type CiEvent =
  | PipelineCreated
  | PipelineStatusChanged
  | JobStatusesChanged
  | JobRetried
  | JobsQueued
  | JobScheduled
  | BridgesStarted
  | ResourceFreed
  | DeploymentsChanged
  | DeploymentApprovalAsked
  | DeploymentDecided

/** The pipeline has all its jobs, but none has started, and none has an environment yet. */
export interface PipelineCreated {
  type: 'pipeline_created'
  pipeline: Pipeline
  jobs: CreatedJob[]
}

export interface CreatedJob {
  id: number
  name: string
  environment: JobEnvironment | null
}

/** The environment that a job names (`PlannedEnvironment` of `ci/plan.ts`). */
export interface JobEnvironment {
  name: string
  url: string | null
  action: 'start' | 'stop' | 'prepare' | 'verify' | 'access'
  on_stop: string | null
  auto_stop_in_s: number | null
  deployment_tier: 'production' | 'staging' | 'testing' | 'development' | 'other' | null
}

export interface PipelineStatusChanged {
  type: 'pipeline_status_changed'
  /** As of now. */
  pipeline: Pipeline
  before: PipelineStatus
  at: Instant
}

/** Jobs and bridges of one pipeline. */
export interface JobStatusesChanged {
  type: 'job_statuses_changed'
  project_id: number
  pipeline_id: number
  changes: {
    id: number
    name: string
    kind: 'job' | 'bridge'
    environment_id: number | null
    before: PipelineStatus
    after: PipelineStatus
  }[]
  at: Instant
}

/** A new job with the same name, environment and plan replaces it, and begins as `created`. */
export interface JobRetried {
  type: 'job_retried'
  job_id: number
  retried_as: number
}

/** Runners may take them from now on. */
export interface JobsQueued {
  type: 'jobs_queued'
  project_id: number
  job_ids: number[]
}

export interface JobScheduled {
  type: 'job_scheduled'
  job_id: number
  /** When it starts. */
  scheduled_at: Instant
}

/** The pipelines of these bridges are to be created. */
export interface BridgesStarted {
  type: 'bridges_started'
  project_id: number
  job_ids: number[]
}

/** Deployments of jobs or of the API were created or changed their status. */
export interface DeploymentsChanged {
  type: 'deployments_changed'
  project_id: number
  /** As of now. */
  deployments: CiDeployment[]
}

/** A deployment waits for approvals, which these users may give. Published once for each that waits, or again after a crash. */
export interface DeploymentApprovalAsked {
  type: 'deployment_approval_asked'
  deployment: CiDeployment
  user_ids: number[]
  /** The approvals that are missing. */
  missing: number
  at: Instant
}

/** Somebody has approved or rejected a deployment that waits for approvals, perhaps in place of what they said before. */
export interface DeploymentDecided {
  type: 'deployment_decided'
  /** The deployment as it was before the decision. */
  deployment: CiDeployment
  approval: CiDeploymentApproval
  /** The approvals that are still missing. */
  missing: number
}

/** A job has left its resource group, so the next one may start. */
export interface ResourceFreed {
  type: 'resource_freed'
  resource_group_id: number
}
