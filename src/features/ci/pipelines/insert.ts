/** Inserts pipelines with their jobs, in the caller's transaction. */
import type { Insertable } from 'kysely'
import type { App } from '../../../app.ts'
import type { Plan, PlannedJob } from '../../../ci/plan.ts'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiJobTable, Pipeline, PipelineTable } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import { mergeEventRef } from '../predefined/predefined.ts'
import { advancePipeline, insertJobs, insertStatuses } from '../processing/processing.ts'
import { countSince, insertDownstream, insertPipelineRow, insertVariables, resourceGroupsOf } from './pipelines.queries.ts'
import type { PipelineRequest } from './request.ts'

export interface PlacedRequest extends PipelineRequest {
  is_protected: boolean
  committed_at: string
}

export async function insertPlanned(tx: Tx, app: App, request: PlacedRequest, plan: Plan): Promise<Pipeline> {
  const { name, auto_cancel } = plan
  const pipeline = await insertPipeline(tx, app, request, {
    status: 'created',
    name,
    auto_cancel: auto_cancel.on_new_commit,
    cancel_on_job_failure: auto_cancel.on_job_failure === 'all',
  })
  const ids = await insertPlannedJobs(tx, pipeline, plan.jobs)
  const jobs = plan.jobs.map((job) => ({ id: ids.get(job.name) as number, name: job.name, environment: job.environment }))
  await publish(tx, { type: 'pipeline_created', pipeline, jobs })
  return (await advancePipeline(tx, pipeline.id)) ?? pipeline
}

/** The result of `[skip ci]`: a pipeline without jobs. */
export async function insertSkipped(tx: Tx, app: App, request: PlacedRequest): Promise<Pipeline> {
  const pipeline = await insertPipeline(tx, app, request, { status: 'skipped' })
  await publish(tx, { type: 'pipeline_created', pipeline, jobs: [] })
  return pipeline
}

/** A pipeline whose file has errors. */
export async function insertFailed(tx: Tx, app: App, request: PlacedRequest, errors: string[]): Promise<Pipeline> {
  const at = now()
  const wrong = { status: 'failed', yaml_errors: errors.join('\n'), failure_reason: 'config_error', finished_at: at } as const
  const pipeline = await insertPipeline(tx, app, request, wrong)
  await publish(tx, { type: 'pipeline_created', pipeline, jobs: [] })
  await publish(tx, { type: 'pipeline_status_changed', pipeline, before: 'created', at })
  await publish(tx, { type: 'commit_status_failed', project_id: pipeline.project_id, sha: pipeline.source_sha ?? pipeline.sha, at })
  return pipeline
}

type Outcome = Pick<Insertable<PipelineTable>, 'status'> & Partial<Insertable<PipelineTable>>

async function insertPipeline(tx: Tx, app: App, request: PlacedRequest, outcome: Outcome): Promise<Pipeline> {
  const at = now()
  const { project, ref, ref_kind, sha, before_sha = null, source, user, merge_request, is_protected, committed_at } = request
  // Locks the numbers of the project, so that of requests at once each counts those before it.
  const iid = await nextNumber(tx, { project_id: project.id }, 'pipeline')
  if (!request.child) await assertWithinLimit(tx, request)
  const pipeline = await insertPipelineRow(tx, {
    ...outcome,
    project_id: project.id,
    iid,
    ref: merge_request && ref_kind === 'merge_request' ? mergeEventRef(merge_request.iid, request.merge_event) : ref,
    sha,
    source_sha: request.source_sha ?? null,
    before_sha,
    tag: ref_kind === 'tag',
    source,
    protected: is_protected,
    user_id: user.id,
    merge_request_id: merge_request?.id ?? null,
    trigger_id: request.trigger_id ?? null,
    schedule_id: request.schedule_id ?? null,
    committed_at,
    created_at: at,
    updated_at: at,
  })
  const seal = (value: string) => app.secrets.seal(value, 'ci_pipeline_variables.value')
  await insertVariables(tx, pipeline.id, request.variables ?? [], seal)
  if (request.child) await insertDownstream(tx, pipeline.id, request.child.job_id)
  return pipeline
}

const minute_ms = 60_000

/** Throws 429 where the user has had too many pipelines of this commit in the last minute. */
async function assertWithinLimit(tx: Tx, { project, user, sha }: PlacedRequest): Promise<void> {
  const { pipeline_limit_per_project_user_sha: limit } = await readSettings(tx)
  if (limit === 0) return
  const since = new Date(Date.now() - minute_ms).toISOString()
  if ((await countSince(tx, { project_id: project.id, user_id: user.id, sha }, since)) >= limit)
    throw new Failure('too_many', 'Too many pipelines created in the last minute. Try again later.')
}

/** Rows of one statement. */
const slice = 500

async function insertPlannedJobs(tx: Tx, pipeline: Pipeline, jobs: readonly PlannedJob[]): Promise<Map<string, number>> {
  const { id: pipeline_id, project_id, sha, ref, tag, user_id } = pipeline
  const at = now()
  const groups = await resourceGroupsOf(tx, project_id, new Set(jobs.flatMap(({ resource_group }) => resource_group ?? [])), at)
  const ids = new Map<string, number>()
  for (let from = 0; from < jobs.length; from += slice) {
    const some = jobs.slice(from, from + slice)
    const statuses = await insertStatuses(
      tx,
      some.map(({ name, stage, stage_idx, allow_failure, trigger }) => ({
        ...{ pipeline_id, project_id, sha, ref, tag, name, stage, stage_idx, allow_failure },
        kind: trigger ? ('bridge' as const) : ('job' as const),
        status: 'created' as const,
        protected: pipeline.protected,
        author_id: user_id,
        created_at: at,
        updated_at: at,
      })),
    )
    for (const { id, name } of statuses) ids.set(name, id)
    await insertJobs(
      tx,
      some.map((job) => jobRow(pipeline, job, ids.get(job.name) as number, groups)),
    )
  }
  return ids
}

function jobRow(
  { id: pipeline_id, project_id }: Pipeline,
  job: PlannedJob,
  id: number,
  groups: ReadonlyMap<string, number>,
): Insertable<CiJobTable> {
  const { when, needs, tags, interruptible, resource_group } = job
  return {
    id,
    project_id,
    pipeline_id,
    when_to_run: when,
    needs: needs && JSON.stringify(needs.map(({ name }) => name)),
    tags: JSON.stringify([...new Set(tags)].sort()),
    interruptible,
    plan: JSON.stringify(job),
    resource_group_id: resource_group === null ? null : (groups.get(resource_group) ?? null),
  }
}
