/** Jobs and pipelines with related data, read in the transaction of the event, since they may have changed when the payload is sent. */
import type { Db } from '../../../db/database.ts'
import type { CiRunner, CommitStatus, MergeRequest, Pipeline } from '../../../db/tables.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { archivesOf, environmentsOfJobs, jobsOf, pipelineById, runnersByIds, statusesByIds } from './parts.queries.ts'

export type RunnerPart = Pick<CiRunner, 'id' | 'description' | 'active' | 'kind' | 'tags'>

export interface JobMoment {
  job: CommitStatus
  pipeline: Pipeline
  runner: RunnerPart | null
  environment: { name: string; deployment_tier: string } | null
}

export interface PipelineMoment {
  pipeline: Pipeline
  merge_request: MergeRequest | null
  jobs: Array<
    Awaited<ReturnType<typeof jobsOf>>[number] & { runner: RunnerPart | null; archive: { filename: string; size: number } | null }
  >
}

/** Keyed by id: four statements, regardless of their number. They must belong to one pipeline. */
export async function momentsOfJobs(db: Db, ids: readonly number[]): Promise<Map<number, JobMoment>> {
  const jobs = await statusesByIds(db, ids)
  const pipeline = jobs[0] ? await pipelineById(db, jobs[0].pipeline_id) : null
  if (!pipeline) return new Map()
  const runners = await runnersOf(db, jobs)
  const environments = await environmentsOfJobs(db, ids)
  return new Map(
    jobs.map((job) => [job.id, { job, pipeline, runner: runnerOf(runners, job), environment: environments.get(job.id) ?? null }]),
  )
}

/** Null once it is deleted. */
export async function momentOfPipeline(db: Db, id: number): Promise<PipelineMoment | null> {
  const pipeline = await pipelineById(db, id)
  if (!pipeline) return null
  const jobs = await jobsOf(db, id)
  const runners = await runnersOf(db, jobs)
  const archives = await archivesOf(
    db,
    jobs.map((job) => job.id),
  )
  const merge_request = pipeline.merge_request_id === null ? null : await mergeRequestById(db, pipeline.merge_request_id)
  return {
    pipeline,
    // Receivers of this project's events must not see a merge request of another project.
    merge_request: merge_request?.project_id === pipeline.project_id ? merge_request : null,
    jobs: jobs.map((job) => ({ ...job, runner: runnerOf(runners, job), archive: archives.get(job.id) ?? null })),
  }
}

function runnersOf(db: Db, jobs: ReadonlyArray<Pick<CommitStatus, 'runner_id'>>): Promise<Map<number, RunnerPart>> {
  return runnersByIds(db, [...new Set(jobs.flatMap(({ runner_id }) => runner_id ?? []))])
}

function runnerOf(runners: Map<number, RunnerPart>, { runner_id }: Pick<CommitStatus, 'runner_id'>): RunnerPart | null {
  return runners.get(runner_id ?? 0) ?? null
}
