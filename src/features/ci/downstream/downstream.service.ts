/** Bridges: jobs that start a pipeline of another project, or a child pipeline, and may take its status. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { PlannedJob, PlannedTrigger } from '../../../ci/plan.ts'
import { expand, expandedLookup, lookupIn } from '../../../ci/text/variables.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Pipeline, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { includeLoader } from '../includes/includes.ts'
import { createPipeline, findRefNamed, type GivenVariable, type PipelineRequest } from '../pipelines/pipelines.ts'
import { mergeEventOf, mergeRequestOf, predefinedVariables, requestFactsOf } from '../predefined/predefined.ts'
import { endJob, type FoundJob, findJob, hasCompleted, runBridge } from '../processing/processing.ts'
import { loadStoredVariables } from '../variables/variables.ts'
import { describe, lineageOf, noteDownstreamProject, pipelineById, startedBy, starterOf, variablesOf } from './downstream.queries.ts'

/** Maximum depth: child pipelines may have children, but these may not. */
const maxChildren = 2
/** Maximum length of a chain of pipelines across projects. */
const maxChain = 20

interface Refusal {
  reason: string
  message: string
}

/** Starts the pipeline of a bridge. Safe to repeat. */
export async function startDownstream(app: App, job_id: number): Promise<void> {
  const bridge = await findJob(app.db, job_id)
  if (bridge?.status.status !== 'pending') return
  const started = await startedBy(app.db, job_id)
  const outcome = started === null ? await create(app, bridge) : null
  if (outcome && 'reason' in outcome) return fail(app, job_id, outcome)
  const { trigger } = JSON.parse(bridge.job.plan) as PlannedJob
  await inTransaction(app.db, async (tx) => {
    if (trigger?.strategy) await runBridge(tx, job_id)
    else await endJob(tx, job_id, { status: 'success' })
  })
  // The pipeline may have ended before the bridge started running.
  if (trigger?.strategy) await followDownstream(app, started ?? (outcome as Pipeline).id)
}

async function fail(app: App, job_id: number, { reason, message }: Refusal): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await endJob(tx, job_id, { status: 'failed', failure_reason: reason })
    await describe(tx, job_id, message.slice(0, 255))
  })
}

async function create(app: App, bridge: FoundJob): Promise<Pipeline | Refusal> {
  const { trigger, variables } = JSON.parse(bridge.job.plan) as PlannedJob
  const pipeline = await pipelineById(app.db, bridge.job.pipeline_id)
  const user = bridge.status.author_id === null ? null : await userById(app.db, bridge.status.author_id)
  const access = await findProject(app.db, String(bridge.job.project_id), everything).catch(nullIfMissing)
  if (!trigger || !pipeline || !user || !access)
    return { reason: 'insufficient_bridge_permissions', message: 'Who started the pipeline is no longer here' }
  const lineage = await lineageOf(app.db, pipeline, maxChain)
  if (lineage.length === maxChain) return { reason: 'pipeline_loop_detected', message: `The chain has ${maxChain} pipelines` }
  const { project } = access
  const forwarded = await variablesFor(app, { pipeline, project, user, trigger, variables })
  const asked = { user, variables: forwarded, inputs: trigger.inputs ?? {} }
  const target = trigger.include
    ? await childOf(app, pipeline, project, lineage, bridge.job.id, trigger, user)
    : await elsewhere(app, trigger, user, lineage, bridge.job.id)
  if ('reason' in target) return target
  await noteDownstreamProject(app.db, bridge.job.id, target.project.id)
  const created = await createPipeline(app, { ...asked, ...target })
  if ('pipeline' in created) return created.pipeline
  return { reason: 'downstream_pipeline_creation_failed', message: created.errors.join(', ') }
}

type Target = Omit<PipelineRequest, 'user' | 'variables' | 'inputs'>

async function childOf(
  app: App,
  pipeline: Pipeline,
  project: LocatedProject,
  lineage: readonly Pipeline[],
  job_id: number,
  { include }: PlannedTrigger,
  user: User,
): Promise<Target | Refusal> {
  const depth = lineage.findIndex(({ source }) => source !== 'parent_pipeline')
  if ((depth === -1 ? lineage.length : depth) >= maxChildren)
    return { reason: 'reached_max_descendant_pipelines_depth', message: `Child pipelines can be ${maxChildren} deep` }
  const merge_request = await mergeRequestOf(app.db, pipeline)
  const { ref, tag, sha, source_sha, before_sha } = pipeline
  const source = { project, repo: app.git.open(project.id), commit: sha }
  return {
    project,
    ref: merge_request?.source_branch ?? ref,
    ref_kind: merge_request ? 'merge_request' : tag ? 'tag' : 'branch',
    ...{ sha, source_sha, before_sha, merge_request, merge_event: mergeEventOf(pipeline) },
    source: 'parent_pipeline',
    child: { job_id, include, load: includeLoader(app, source, user) },
  }
}

async function elsewhere(
  app: App,
  { project: path, branch }: PlannedTrigger,
  user: User,
  lineage: readonly Pipeline[],
  job_id: number,
): Promise<Target | Refusal> {
  const access = path === null ? null : await findProject(app.db, path, user).catch(nullIfMissing)
  if (!access) return { reason: 'downstream_bridge_project_not_found', message: `Project ${path ?? ''} was not found` }
  const { project } = access
  const wanted = branch ?? project.default_branch
  const found = wanted === null ? null : await findRefNamed(app.git.open(project.id), wanted)
  if (!found) return { reason: 'downstream_pipeline_creation_failed', message: 'Reference not found' }
  const isLoop = lineage.some(
    ({ project_id, ref, tag }) => project_id === project.id && ref === found.ref && tag === (found.ref_kind === 'tag'),
  )
  if (isLoop) return { reason: 'pipeline_loop_detected', message: 'The pipeline would start itself' }
  return { project, ...found, source: 'pipeline', child: { job_id, include: null, load: null } }
}

interface Forwarding {
  pipeline: Pipeline
  project: LocatedProject
  user: User
  trigger: PlannedTrigger
  variables: PlannedJob['variables']
}

/** Variables of the bridge with their current values, overridden by those its pipeline was started with, if these are forwarded. */
async function variablesFor(app: App, { pipeline, project, user, trigger, variables }: Forwarding): Promise<GivenVariable[]> {
  const given = (await variablesOf(app.db, pipeline.id)).map(({ key, value, kind, raw }): GivenVariable => {
    return { key, value: app.secrets.unseal(value, 'ci_pipeline_variables.value'), kind, raw }
  })
  const forwarded: GivenVariable[] = []
  if (trigger.forward.yaml_variables) {
    const commit = await readCommit(app.git.open(project.id), pipeline.sha)
    const stored = await loadStoredVariables(app.db, app.secrets, { project, protected: pipeline.protected })
    const known = [
      predefinedVariables(app.config, { project, pipeline, commit, user, ...(await requestFactsOf(app.db, pipeline)) }),
      variables,
      stored(null),
      given,
    ]
    const lookup = expandedLookup(lookupIn(...known))
    for (const { key, value, raw } of variables)
      forwarded.push({ key, value: raw ? value : expand(value, lookup), kind: 'env_var', raw: true })
  }
  return trigger.forward.pipeline_variables ? [...forwarded, ...given] : forwarded
}

/** A bridge that depends on its pipeline ends with the same status, and runs again when the pipeline is retried. Safe to repeat. */
export async function followDownstream(app: App, pipeline_id: number): Promise<void> {
  const job_id = await starterOf(app.db, pipeline_id)
  const bridge = job_id === null ? null : await findJob(app.db, job_id)
  if (!bridge || !(JSON.parse(bridge.job.plan) as PlannedJob).trigger?.strategy) return
  await inTransaction(app.db, async (tx) => {
    const pipeline = await pipelineById(tx, pipeline_id)
    if (!pipeline) return
    const { status } = pipeline
    if (!hasCompleted(status)) await runBridge(tx, bridge.job.id)
    else if (status === 'success' || status === 'skipped') await endJob(tx, bridge.job.id, { status: 'success' })
    else if (status === 'canceled') await endJob(tx, bridge.job.id, { status: 'canceled' })
    else await endJob(tx, bridge.job.id, { status: 'failed', failure_reason: 'downstream_pipeline_failed' })
  })
}
