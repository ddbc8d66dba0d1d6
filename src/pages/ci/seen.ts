/** Access rules of the pages of pipelines and jobs, which grant them with their project. */
import type { App } from '../../app.ts'
import type { CiJob, CommitStatus } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'
import { mayReadTrace } from '../../features/ci/job-access/job-access.ts'
import { findJobShown, findPipelineShown, mayRunPipelines, type ShownPipeline } from '../../features/ci/overviews/overviews.ts'
import { mayRunOn as mayRunOnRef } from '../../features/ci/pipelines/pipelines.ts'
import { type ProjectGranted, project, unarchived, using } from '../../http/declare/rules.ts'
import { nested } from '../../http/declare/within.ts'
import { Id } from '../../http/parameters/schema.ts'
import type { Visit } from '../frame/declaration.ts'

export type CiVisit = Visit & ProjectGranted
export type PipelineSeen = CiVisit & { pipeline: ShownPipeline }
export type JobSeen = CiVisit & { status: CommitStatus; job: CiJob }

/** Users who may start pipelines, and retry, cancel and play jobs. */
export const runners = unarchived(using('builds', project('run_pipelines')))

export const pipelineInPath = nested(
  { pipeline_id: Id },
  async ({ project: { id } }: ProjectGranted, { pipeline_id }, app): Promise<{ pipeline: ShownPipeline }> => {
    const pipeline = await findPipelineShown(app.db, id, pipeline_id)
    if (!pipeline) throw notFound('Pipeline')
    return { pipeline }
  },
)

export const jobInPath = nested(
  { job_id: Id },
  async ({ project: { id } }: ProjectGranted, { job_id }, app): Promise<{ status: CommitStatus; job: CiJob }> => {
    const found = await findJobShown(app.db, id, job_id)
    if (!found) throw notFound('Job')
    return found
  },
)

/** As `jobInPath`, for users who may read the log. */
export const logInPath = nested(
  { job_id: Id },
  async ({ project: { id }, level }: ProjectGranted, { job_id }, app): Promise<{ status: CommitStatus; job: CiJob }> => {
    const found = await findJobShown(app.db, id, job_id)
    if (!found || !mayReadTrace({ level }, found.job)) throw notFound('Job')
    return found
  },
)

/** Whether the viewer may run jobs for this ref. At most two statements, cached. */
export async function mayRunOn(app: App, granted: ProjectGranted, on: { ref: string; tag: boolean }): Promise<boolean> {
  return granted.user !== null && mayRunPipelines(granted) && (await mayRunOnRef(app, granted, on))
}
