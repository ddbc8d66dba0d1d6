/** How environments react to the jobs that deploy to them. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiDeployment, PipelineStatus } from '../../../db/tables.ts'
import type { CreatedJob, JobEnvironment } from '../../../domain-events/ci-events.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { branchOf, isDeletion } from '../../../git/refs/ref-updates.ts'
import { enqueue } from '../../../queue/queue.ts'
import { takeNumbers } from '../../spaces/numbering/numbering.ts'
import { guardedJobs } from '../protected-environments/protected-environments.ts'
import { deploymentsOfJobs, insertDeployments, updateDeployments } from './deployments.queries.ts'
import { hasFinished } from './deployments.service.ts'
import { nameError, slugOf, tierOf } from './environment-names.ts'
import { askForApprovalsJob, stopForBranchesJob, updateUrlJob } from './environments.jobs.ts'
import { environmentsNamed, insertNewEnvironments, updateEnvironment } from './environments.queries.ts'
import { deployingJobs, setEnvironment } from './job-environments.queries.ts'

type Deploying = CreatedJob & { environment: JobEnvironment }

const isDeploying = (job: CreatedJob): job is Deploying => job.environment !== null && nameError(job.environment.name) === null

/** Creates the environments that jobs name together with the pipeline, and a deployment for each job that starts one. */
export async function prepareEnvironments(tx: Tx, { pipeline, jobs }: EventOf<'pipeline_created'>): Promise<void> {
  const deploying = jobs.filter(isDeploying)
  if (deploying.length === 0) return
  const { project_id } = pipeline
  const at = now()
  const byName = new Map(deploying.map(({ environment }) => [environment.name, environment]))
  await insertNewEnvironments(
    tx,
    [...byName.values()].map(({ name, deployment_tier }) => ({
      project_id,
      name,
      slug: slugOf(name),
      tier: deployment_tier ?? tierOf(name),
      created_at: at,
      updated_at: at,
      external_url: null,
      description: null,
      auto_stop_at: null,
    })),
  )
  const ids = new Map((await environmentsNamed(tx, project_id, [...byName.keys()])).map(({ id, name }) => [name, id]))
  for (const [name, id] of ids) {
    const here = deploying.filter(({ environment }) => environment.name === name).map((job) => job.id)
    await setEnvironment(tx, here, id)
  }
  const starting = deploying.filter(({ environment }) => environment.action === 'start' && ids.has(environment.name))
  const first = await takeNumbers(tx, { project_id }, 'deployment', starting.length)
  const deployments = await insertDeployments(
    tx,
    starting.map(({ id, environment }, index) => ({
      iid: first + index,
      project_id,
      environment_id: ids.get(environment.name) as number,
      job_id: id,
      user_id: pipeline.user_id,
      ref: pipeline.ref,
      tag: pipeline.tag,
      sha: pipeline.sha,
      status: 'created' as const,
      on_stop: environment.on_stop,
      created_at: at,
      updated_at: at,
      finished_at: null,
    })),
  )
  await publish(tx, { type: 'deployments_changed', project_id, deployments })
}

/** The retry of a job deploys again. */
export async function repeatDeployment(tx: Tx, { job_id, retried_as }: EventOf<'job_retried'>): Promise<void> {
  const [before] = await deploymentsOfJobs(tx, [job_id])
  if (!before) return
  const { project_id, environment_id, user_id, ref, tag, sha, on_stop } = before
  const iid = await takeNumbers(tx, { project_id }, 'deployment', 1)
  const at = now()
  const same = { project_id, environment_id, user_id, ref, tag, sha, on_stop }
  const fresh = { ...same, iid, job_id: retried_as, status: 'created' as const, created_at: at, updated_at: at, finished_at: null }
  await publish(tx, { type: 'deployments_changed', project_id, deployments: await insertDeployments(tx, [fresh]) })
}

const statusOf: Record<PipelineStatus, CiDeployment['status']> = {
  created: 'created',
  waiting_for_resource: 'created',
  pending: 'created',
  scheduled: 'created',
  manual: 'blocked',
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
}

/** Deployments take the status of their jobs; a successful job makes an environment available or stopped. */
export async function followJobs(tx: Tx, { project_id, changes, at }: EventOf<'job_statuses_changed'>): Promise<void> {
  const jobs = await deployingJobs(
    tx,
    changes.filter(({ environment_id }) => environment_id !== null).map(({ id }) => id),
  )
  if (jobs.length === 0) return
  const after = new Map(changes.map((change) => [change.id, change.after]))
  const deployments = await deploymentsOfJobs(
    tx,
    jobs.map(({ id }) => id),
  )
  const statusNow = ({ job_id }: CiDeployment) => statusOf[after.get(job_id ?? 0) ?? 'created']
  for (const status of new Set(deployments.map(statusNow))) {
    const change = { status, updated_at: at, finished_at: hasFinished(status) ? at : null }
    const those = deployments.filter((one) => statusNow(one) === status)
    const ids = those.map(({ id }) => id)
    await updateDeployments(tx, ids, change)
    const changed = those.filter((one) => one.status !== status).map((one) => ({ ...one, ...change }))
    if (changed.length > 0) await publish(tx, { type: 'deployments_changed', project_id, deployments: changed })
    if (status === 'blocked') await askLater(tx, changed)
  }
  for (const { id, environment_id, plan } of jobs) {
    const { environment } = JSON.parse(plan) as { environment: JobEnvironment | null }
    if (environment) await follow(tx, { job_id: id, environment_id, environment, status: after.get(id) ?? 'created', at })
  }
}

/** Jobs that somebody starts by hand are blocked, too: only those of protected environments may wait for approvals. */
async function askLater(tx: Tx, deployments: readonly CiDeployment[]): Promise<void> {
  const guarded = await guardedJobs(
    tx,
    deployments.flatMap(({ job_id }) => job_id ?? []),
  )
  const ids = new Set(guarded.map(({ deployment_id }) => deployment_id))
  for (const { id, project_id } of deployments) if (ids.has(id)) await enqueue(tx, askForApprovalsJob, { project_id, deployment_id: id })
}

interface Followed {
  job_id: number
  environment_id: number
  environment: JobEnvironment
  status: PipelineStatus
  at: string
}

async function follow(tx: Tx, { job_id, environment_id, environment, status, at }: Followed): Promise<void> {
  const { action, auto_stop_in_s, url } = environment
  if (action === 'stop') {
    if (status === 'success') await updateEnvironment(tx, environment_id, { state: 'stopped', auto_stop_at: null, updated_at: at })
    if (status === 'failed' || status === 'canceled') await updateEnvironment(tx, environment_id, { state: 'available', updated_at: at })
    return
  }
  if (status !== 'success') return
  if (auto_stop_in_s !== null && action !== 'verify') {
    const auto_stop_at = new Date(Date.parse(at) + auto_stop_in_s * 1_000).toISOString()
    await updateEnvironment(tx, environment_id, { auto_stop_at, updated_at: at })
  }
  if (action !== 'start') return
  await updateEnvironment(tx, environment_id, { state: 'available', updated_at: at })
  if (url !== null) await enqueue(tx, updateUrlJob, { job_id })
}

/** Environments of a branch are stopped when the branch is deleted. */
export async function stopWithBranches(tx: Tx, { project_id, user_id, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const branches = changes.filter(isDeletion).flatMap(({ ref }) => branchOf(ref) ?? [])
  if (branches.length > 0) await enqueue(tx, stopForBranchesJob, { project_id, user_id, branches })
}
