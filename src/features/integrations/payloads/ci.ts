/** The payloads of jobs and pipelines. */
import type { LocatedProject } from '../../../access/find.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, PipelineStatus } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { JobPayload, PipelinePayload } from './ci.schema.ts'
import type { JobFacts, PipelineFacts } from './facts.ts'
import type { RunnerPart } from './moments.ts'
import { actorOf, commitOf, payloadCommit, settingOf } from './parts.ts'
import { payloadRepository } from './project.ts'

const begun: PipelineStatus[] = ['running', 'success', 'failed', 'canceled']
const ended: PipelineStatus[] = ['success', 'failed', 'canceled', 'skipped']

/** As it was when it had this status: a job may have several in one transaction. */
function asOf<Row extends { started_at: string | null; finished_at: string | null }>(row: Row, status: PipelineStatus) {
  const started_at = begun.includes(status) ? row.started_at : null
  const finished_at = ended.includes(status) ? row.finished_at : null
  return { status, started_at, finished_at, duration: secondsBetween(started_at, finished_at) }
}

function secondsBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : (Date.parse(to) - Date.parse(from)) / 1_000
}

/** Null once the project is deleted. */
export async function jobPayload(app: App, facts: JobFacts): Promise<Presented<typeof JobPayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { project, shown } = setting
  const { job, pipeline, runner, environment } = facts
  const commit = await commitOf(app, project, job.sha)
  const now = asOf(job, facts.status)
  return {
    object_kind: 'build',
    ref: job.ref,
    tag: job.tag,
    before_sha: pipeline.before_sha,
    sha: job.sha,
    retries_count: 0,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: now.status,
    build_created_at: job.created_at,
    build_started_at: now.started_at,
    build_finished_at: now.finished_at,
    build_duration: now.duration,
    build_queued_duration: secondsBetween(job.queued_at, now.started_at),
    build_allow_failure: job.allow_failure,
    build_failure_reason: now.status === 'failed' ? (job.failure_reason ?? 'unknown_failure') : 'unknown_failure',
    pipeline_id: pipeline.id,
    project_id: project.id,
    project_name: `${project.namespace_name} / ${project.name}`,
    user: await actorOf(app, job.author_id ?? pipeline.user_id),
    commit: {
      id: pipeline.id,
      name: pipeline.name,
      sha: job.sha,
      message: commit?.message ?? null,
      author_name: commit?.author.name ?? null,
      author_email: commit?.author.email ?? null,
      author_url: commit && `mailto:${commit.author.email}`,
      status: pipeline.status,
      duration: pipeline.duration_s,
      started_at: pipeline.started_at,
      finished_at: pipeline.finished_at,
    },
    repository: payloadRepository(shown),
    project: shown,
    runner: runner ? presentRunner(runner) : null,
    environment,
  }
}

/** Null once the project is deleted. */
export async function pipelinePayload(app: App, facts: PipelineFacts): Promise<Presented<typeof PipelinePayload> | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { project, shown } = setting
  const { pipeline, jobs, merge_request } = facts
  const commit = await commitOf(app, project, pipeline.sha)
  const now = asOf(pipeline, pipeline.status)
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      iid: pipeline.iid,
      name: pipeline.name,
      ref: pipeline.ref,
      tag: pipeline.tag,
      sha: pipeline.sha,
      before_sha: pipeline.before_sha,
      source: pipeline.source,
      status: now.status,
      detailed_status: labels[now.status],
      stages: [...new Set(jobs.map(({ stage }) => stage))],
      created_at: pipeline.created_at,
      finished_at: now.finished_at,
      duration: now.finished_at === null ? null : pipeline.duration_s,
      queued_duration: pipeline.queued_duration_s,
      // Values of variables may be secret.
      variables: [],
      url: pageUrl(app.config, pipelineAddress(project, pipeline.id)),
    },
    merge_request: merge_request && presentMergeRequest(app, project, merge_request),
    user: await actorOf(app, pipeline.user_id),
    project: shown,
    commit: commit && payloadCommit(app.config, project, commit),
    builds: await buildsOf(app, jobs),
  }
}

/** As displayed to people. */
const labels: Record<PipelineStatus, string> = {
  created: 'created',
  waiting_for_resource: 'waiting for resource',
  pending: 'pending',
  running: 'running',
  success: 'passed',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
  manual: 'manual action',
  scheduled: 'delayed',
}

/** Brief, since the merge request may have changed since. */
function presentMergeRequest({ config }: App, { full_path }: LocatedProject, row: MergeRequest) {
  const { id, iid, title, source_branch, source_project_id, target_branch, project_id: target_project_id, state, merge_status } = row
  const url = pageUrl(config, mergeRequestAddress({ full_path }, iid))
  return { id, iid, title, source_branch, source_project_id, target_branch, target_project_id, state, merge_status, url }
}

async function buildsOf(app: App, jobs: PipelineFacts['jobs']): Promise<Presented<typeof PipelinePayload>['builds']> {
  const users = new Map<number | null, Awaited<ReturnType<typeof actorOf>>>()
  for (const { author_id } of jobs) if (!users.has(author_id)) users.set(author_id, await actorOf(app, author_id))
  return jobs.map(({ runner, archive, ...job }) => ({
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
    duration: secondsBetween(job.started_at, job.finished_at),
    queued_duration: secondsBetween(job.queued_at, job.started_at),
    failure_reason: job.failure_reason,
    when: job.when_to_run,
    manual: job.when_to_run === 'manual',
    allow_failure: job.allow_failure,
    user: users.get(job.author_id) ?? null,
    runner: runner ? presentRunner(runner) : null,
    artifacts_file: { filename: archive?.filename ?? null, size: archive?.size ?? null },
  }))
}

function presentRunner({ id, description, active, kind, tags }: RunnerPart) {
  return { id, description, active, runner_type: `${kind}_type`, is_shared: kind === 'instance', tags: JSON.parse(tags) as string[] }
}
