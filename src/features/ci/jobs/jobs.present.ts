/** Jobs and bridges as JSON. */
import type { LocatedProject } from '../../../access/find.ts'
import { jobAddress } from '../../../addresses/ci.ts'
import { pageUrl, projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { CiArtifact, CiRunner, Pipeline, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserProfile } from '../../people/users/users.ts'
import { presentCommit } from '../../repository/commits/commits.ts'
import { artifactsOfJobs } from '../artifacts/artifacts.ts'
import { presentPipelineBasic } from '../pipelines/pipelines.ts'
import { isOnline } from '../runners/runners.ts'
import { downstreamsOf, pipelinesAmong, runnersAmong, type ShownJob, usersAmong } from './jobs.queries.ts'
import type { Bridge, Job } from './jobs.schema.ts'

export interface Reader {
  user: User | null
  project: LocatedProject
  /** The repository of the project. */
  repo: Repo
}

/** Four statements, regardless of their number. */
export async function presentJobs(app: App, reader: Reader, jobs: readonly ShownJob[]): Promise<Presented<typeof Job>[]> {
  const [surroundings, runners, artifacts] = await Promise.all([
    surroundingsOf(app, reader, jobs),
    runnersAmong(
      app.db,
      jobs.map(({ runner_id }) => runner_id),
    ),
    artifactsOfJobs(
      app.db,
      jobs.map(({ id }) => id),
    ),
  ])
  return jobs.map((job) => {
    const runner = job.runner_id === null ? undefined : runners.get(job.runner_id)
    const files = artifacts.filter(({ job_id }) => job_id === job.id)
    return presentJob(app, reader, job, Object.assign(surroundings(job), { runner: runner ?? null, files }))
  })
}

/** Four statements, regardless of their number. */
export async function presentBridges(app: App, reader: Reader, jobs: readonly ShownJob[]): Promise<Presented<typeof Bridge>[]> {
  const surroundings = await surroundingsOf(app, reader, jobs)
  const started = await downstreamsOf(
    app.db,
    jobs.map(({ id }) => id),
  )
  return jobs.map((job) => {
    const downstream = started.get(job.id)
    const downstream_pipeline = downstream ? presentPipelineBasic(app.config, downstream, downstream) : null
    return Object.assign(presentCommon(app, reader, job, surroundings(job)), { downstream_pipeline })
  })
}

interface Surroundings {
  pipeline: Pipeline
  author: User | null
  commit: Commit | null
}

async function surroundingsOf(app: App, { repo }: Reader, jobs: readonly ShownJob[]): Promise<(job: ShownJob) => Surroundings> {
  const [pipelines, users, commits] = await Promise.all([
    pipelinesAmong(
      app.db,
      jobs.map(({ pipeline_id }) => pipeline_id),
    ),
    usersAmong(
      app.db,
      jobs.map(({ author_id }) => author_id),
    ),
    commitsOf(
      repo,
      jobs.map(({ sha }) => sha),
    ),
  ])
  return ({ pipeline_id, author_id, sha }) => ({
    pipeline: pipelines.get(pipeline_id) as Pipeline,
    author: author_id === null ? null : (users.get(author_id) ?? null),
    commit: commits.get(sha) ?? null,
  })
}

/** A commit may be gone because its branch was deleted or force-pushed. */
async function commitsOf(repo: Repo, shas: readonly string[]): Promise<Map<string, Commit | null>> {
  const read = async (sha: string) => [sha, await readCommit(repo, sha).catch(() => null)] as const
  return new Map(await Promise.all([...new Set(shas)].map(read)))
}

interface OfJob extends Surroundings {
  runner: Pick<CiRunner, 'id' | 'kind' | 'description' | 'ip_address' | 'active' | 'name' | 'contacted_at'> | null
  files: CiArtifact[]
}

function presentJob(app: App, reader: Reader, job: ShownJob, { runner, files, pipeline, author, commit }: OfJob): Presented<typeof Job> {
  const archive = files.find(({ file_type }) => file_type === 'archive')
  return Object.assign(presentCommon(app, reader, job, { pipeline, author, commit }), {
    artifacts: files.map(({ file_type, size, filename, file_format }) => ({ file_type, size, filename, file_format })),
    artifacts_file: archive && { filename: archive.filename, size: archive.size },
    artifacts_expire_at: job.artifacts_expire_at,
    runner: runner && presentRunner(runner),
    tag_list: JSON.parse(job.tags) as string[],
    archived: false,
  })
}

function presentCommon({ config }: App, { user, project }: Reader, job: ShownJob, { pipeline, author, commit }: Surroundings) {
  const { id, status, stage, name, ref, tag, coverage, allow_failure, created_at, started_at, finished_at, erased_at, queued_at } = job
  const url = projectUrl(config, project)
  return {
    id,
    status: status === 'running' && job.canceling_at !== null ? 'canceling' : status,
    stage,
    name,
    ref,
    tag,
    coverage,
    allow_failure,
    created_at,
    started_at,
    finished_at,
    erased_at,
    duration: started_at === null ? null : secondsBetween(started_at, finished_at),
    queued_duration: queued_at === null ? null : secondsBetween(queued_at, started_at ?? finished_at),
    user: author && presentUserProfile(config, author, user),
    commit: commit && presentCommit(commit, url),
    pipeline: presentPipelineBasic(config, project, pipeline),
    web_url: pageUrl(config, jobAddress(project, id)),
    project: { ci_job_token_scope_enabled: project.job_token_scope_enabled },
    failure_reason: job.failure_reason ?? undefined,
  }
}

/** Until now if `to` is null. */
function secondsBetween(from: string, to: string | null): number {
  return Math.max(0, (to === null ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1_000
}

function presentRunner({ id, kind, description, ip_address, active, name, contacted_at }: NonNullable<OfJob['runner']>) {
  const online = contacted_at !== null && isOnline(contacted_at)
  return {
    id,
    description,
    ip_address,
    active,
    paused: !active,
    is_shared: kind === 'instance',
    runner_type: `${kind}_type`,
    name,
    online,
    status: contacted_at === null ? 'never_contacted' : online ? 'online' : 'offline',
  }
}
