/** Everything a runner needs to run a job. */
import { createHash } from 'node:crypto'
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { JobCache, PlannedJob } from '../../../ci/plan.ts'
import type { CiRunner, User } from '../../../db/tables.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { artifactsOfJobs } from '../artifacts/artifacts.ts'
import { isFrozen } from '../freeze-periods/freeze-periods.ts'
import { predefinedVariables } from '../predefined/predefined.ts'
import type { TakenJob } from '../processing/processing.ts'
import { noteThatPrintsVariables } from '../traces/traces.ts'
import { loadStoredVariables } from '../variables/variables.ts'
import { jobsElsewhere } from './elsewhere.service.ts'
import { idTokensFor } from './id-tokens.service.ts'
import { features, presentArtifacts, presentCaches, presentHooks, presentImage, presentService, presentSteps } from './payload.present.ts'
import { earlierJobs, pipelineVariables, type StoredPipelineVariable, surroundings } from './payload.queries.ts'
import { type RunnerVariable, repositoryUrl, variablesOf } from './variables.ts'

type Earlier = Awaited<ReturnType<typeof earlierJobs>>[number]

/** The payload (`JobPayload`) of a job that was just taken. A fixed number of statements; git is only needed for keys of caches. */
export async function payloadOf(app: App, runner: CiRunner, { pipeline, status, job, token }: TakenJob) {
  const [{ project }, earlier] = await Promise.all([
    findProject(app.db, String(status.project_id), everything),
    earlierJobs(app.db, pipeline.id),
  ])
  const plan = JSON.parse(job.plan) as PlannedJob
  const repo = app.git.open(project.id)
  const timeout = job.timeout_s ?? project.build_timeout_s
  const dependencies = dependenciesOf(plan, status.stage_idx, earlier)
  const { variables, user } = await variablesFor(app, runner, {
    project,
    plan,
    repo,
    timeout,
    dependencies,
    taken: { pipeline, status, job, token },
  })
  const elsewhere = await jobsElsewhere(app, plan.options.cross_dependencies, { project, job, user, variables })
  // Agents of release 11.3 don't say so when they send the trace.
  if (variables.some(printsVariables)) await noteThatPrintsVariables(app.db, status.id)
  const keys = await keysOfFiles(repo, pipeline.sha, plan.options.cache)
  return {
    id: status.id,
    token,
    allow_git_fetch: project.build_git_strategy === 'fetch',
    job_info: {
      id: status.id,
      name: status.name,
      stage: status.stage,
      pipeline_id: pipeline.id,
      project_id: project.id,
      project_name: project.name,
      project_full_name: project.full_path,
      project_full_path: project.full_path,
      namespace_id: project.namespace_id,
      user_id: status.author_id,
    },
    git_info: gitInfo(app, project, { pipeline, token, depth: depthOf(variables, project) }),
    runner_info: { timeout, runner_session_url: null },
    variables,
    steps: presentSteps(plan.options, timeout),
    hooks: presentHooks(plan.options),
    image: plan.options.image && presentImage(plan.options.image),
    services: plan.options.services.map(presentService),
    artifacts: presentArtifacts(plan.options.artifacts),
    cache: presentCaches(plan.options.cache, pipeline.protected, (cache) => keys.get(cache) ?? cache.key),
    credentials: [],
    dependencies: await presentDependencies(app, [...dependencies, ...elsewhere], token),
    features,
  }
}

const printsVariables = ({ key, value }: RunnerVariable) => /^CI_DEBUG_(?:TRACE|SERVICES)$/.test(key) && value === 'true'

/** The jobs whose artifacts it gets. */
function dependenciesOf({ dependencies, needs }: PlannedJob, stage_idx: number, earlier: Earlier[]): Earlier[] {
  const names = dependencies ?? needs?.filter(({ artifacts }) => artifacts).map(({ name }) => name) ?? null
  if (names === null) return earlier.filter((one) => one.stage_idx < stage_idx)
  const wanted = new Set(names)
  return earlier.filter(({ name }) => wanted.has(name))
}

interface Facts {
  project: LocatedProject
  plan: PlannedJob
  repo: Repo
  timeout: number
  dependencies: Earlier[]
  taken: TakenJob
}

async function variablesFor(
  app: App,
  runner: CiRunner,
  { project, plan, repo, timeout, dependencies, taken }: Facts,
): Promise<{ variables: RunnerVariable[]; user: User | null }> {
  const { pipeline, status, job, token } = taken
  const { db, secrets, config } = app
  const { merge_request_id, schedule_id } = pipeline
  const [around, stored, commit, sealed, is_frozen] = await Promise.all([
    surroundings(db, { user_id: status.author_id, merge_request_id, schedule_id, environment_id: job.environment_id }),
    loadStoredVariables(db, secrets, { project, protected: pipeline.protected }),
    readCommit(repo, pipeline.sha),
    pipelineVariables(db, pipeline.id),
    isFrozen(db, project.id),
  ])
  const open = (variables: StoredPipelineVariable[]) =>
    variables.map(({ key, value, kind, raw }) => ({ key, value, file: kind === 'file', raw }))
  const given = sealed.map((one) => ({
    ...one,
    value: secrets.unseal(one.value, 'ci_pipeline_variables.value'),
  }))
  const played = job.played_variables === null ? [] : JSON.parse(secrets.unseal(job.played_variables, 'ci_jobs.played_variables'))
  const { environment } = around
  const facts = { project, status, plan, token, timeout_s: timeout, runner, environment }
  const variables = variablesOf(config, facts, {
    predefined: predefinedVariables(config, { project, pipeline, commit, ...around, is_frozen }),
    yaml: plan.variables,
    reported: dependencies.flatMap(({ dotenv }) =>
      dotenv === null ? [] : (JSON.parse(secrets.unseal(dotenv, 'ci_jobs.dotenv')) as Array<{ key: string; value: string }>),
    ),
    stored: stored(environment?.name ?? plan.environment?.name ?? null),
    given: [...open(given), ...open(played as StoredPipelineVariable[])],
  })
  const said = { ...around, project, pipeline, status, runner_id: runner.id, planned_environment: plan.environment, timeout_s: timeout }
  const tokens = await idTokensFor(app, plan.options.id_tokens ?? [], said, variables)
  return { variables: [...tokens, ...variables], user: around.user }
}

/** The commit is also fetched by its id: its branch may have moved or been deleted, and a merge request has none. */
function gitInfo(app: App, project: LocatedProject, { pipeline, token, depth }: Pick<TakenJob, 'pipeline' | 'token'> & { depth: number }) {
  const { id, sha, ref, tag, merge_request_id } = pipeline
  const branches = depth > 0 ? ref : '*'
  const ofRef = [
    ...(depth > 0 && (tag || merge_request_id !== null) ? [] : [`+refs/heads/${branches}:refs/remotes/origin/${branches}`]),
    ...(depth > 0 && !tag ? [] : [`+refs/tags/${branches}:refs/tags/${branches}`]),
  ]
  return {
    repo_url: repositoryUrl(app.config, project.full_path, token),
    repo_object_format: 'sha1',
    ref,
    sha,
    before_sha: pipeline.before_sha ?? '0'.repeat(40),
    ref_type: tag ? 'tag' : 'branch',
    refspecs: [`+${sha}:refs/pipelines/${id}`, ...ofRef],
    depth,
    protected: pipeline.protected,
  }
}

/** 0 for the whole history. */
function depthOf(variables: RunnerVariable[], { ci_default_git_depth }: LocatedProject): number {
  const wanted = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value
  return /^\d{1,9}$/.test(wanted ?? '') ? Number(wanted) : (ci_default_git_depth ?? 0)
}

/** For each cache whose key is computed from files: the last commits that changed them. Missing files are ignored. */
async function keysOfFiles(repo: Repo, sha: string, caches: JobCache[]): Promise<Map<JobCache, string>> {
  const keys = new Map<JobCache, string>()
  for (const cache of caches) {
    if (!cache.key_files) continue
    const { files, prefix } = cache.key_files
    const commits = await Promise.all(files.map((file) => lastCommitOf(repo, sha, file)))
    const found = commits.filter((commit) => commit !== null)
    const key = found.length === 0 ? 'default' : createHash('sha1').update(found.sort().join('-')).digest('hex')
    keys.set(cache, prefix ? `${prefix}-${key}` : key)
  }
  return keys
}

/** With the token of the job itself, which gives access to the artifacts of its project, and of others that it may read. */
async function presentDependencies({ db }: App, dependencies: readonly Pick<Earlier, 'id' | 'name'>[], token: string) {
  const artifacts = await artifactsOfJobs(
    db,
    dependencies.map(({ id }) => id),
  )
  const archives = new Map(artifacts.filter(({ file_type }) => file_type === 'archive').map((one) => [one.job_id, one]))
  return dependencies.map(({ id, name }) => {
    const archive = archives.get(id)
    const isThere = archive && (archive.expires_at === null || archive.expires_at > new Date().toISOString())
    return { id, name, token, artifacts_file: isThere ? { filename: archive.filename, size: archive.size } : undefined }
  })
}
