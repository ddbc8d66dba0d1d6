/** Actions of users on pipelines. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { PlainValue } from '../../../ci/plan.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Pipeline, User } from '../../../db/tables.ts'
import { Failure, missing } from '../../../failure.ts'
import { isRefName } from '../../../git/refs/names.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { firstRepeated } from '../../../validation.ts'
import { removeArtifactsOf } from '../artifacts/artifacts.ts'
import { cancelPipeline, retryPipeline } from '../processing/processing.ts'
import { removeTracesOf } from '../traces/traces.ts'
import { createPipeline } from './create.service.ts'
import { presentPipeline } from './pipelines.present.ts'
import { childrenOf, deletePipelines, jobIdsOf, latestOf, placedPipeline, starterOf } from './pipelines.queries.ts'
import type { Pipeline as PipelineShape } from './pipelines.schema.ts'
import type { GivenVariable, PipelineRequest } from './request.ts'

/** Further branches or tags are ignored. */
const maxRefs = 10_000

/** The branches or tags of a scope; null for scopes that aren't about refs. */
export async function refsOfScope(repo: Repo, scope: string | undefined): Promise<string[] | null> {
  if (scope !== 'branches' && scope !== 'tags') return null
  const refs = await listRefs(repo, scope === 'branches' ? 'heads' : 'tags')
  return refs.slice(0, maxRefs).map(({ name }) => name)
}

export interface FoundRef {
  /** Short name. */
  ref: string
  ref_kind: 'branch' | 'tag'
  sha: string
}

/** The branch or tag with this short or full name; a branch takes precedence. */
export async function findRefNamed(repo: Repo, name: string): Promise<FoundRef | null> {
  const ref = name.replace(/^refs\/(heads|tags)\//, '')
  // `main~1` names a commit, not a branch.
  if (!isRefName(ref)) return null
  const branch = name.startsWith('refs/tags/') ? null : await resolveCommit(repo, `refs/heads/${ref}`)
  if (branch) return { ref, ref_kind: 'branch', sha: branch }
  const tag = name.startsWith('refs/heads/') ? null : await resolveCommit(repo, `refs/tags/${ref}`)
  return tag ? { ref, ref_kind: 'tag', sha: tag } : null
}

/** 400 with the errors in the format of validation. */
export function refusal(errors: readonly string[]): Failure {
  return new Failure('invalid', { base: [...errors] })
}

export interface AskedPipeline extends Pick<PipelineRequest, 'source'> {
  project: LocatedProject
  user: User
  /** Name of a branch or tag. */
  ref: string
  variables?: readonly GivenVariable[]
  inputs?: NonNullable<PipelineRequest['inputs']>
  trigger_id?: number
  schedule_id?: number
  save_on_errors?: boolean
}

/** Creates a pipeline for the tip of a branch or tag. Throws 400 `{ base }` if none can be created. */
export async function runPipeline(app: App, { ref: name, ...asked }: AskedPipeline): Promise<Pipeline> {
  const found = await findRefNamed(app.git.open(asked.project.id), name)
  if (!found) throw refusal(['Reference not found'])
  const created = await createPipeline(app, { ...asked, ...found })
  if ('errors' in created) throw refusal(created.errors)
  return created.pipeline
}

const maxKey_chars = 255

/** Throws 400 for keys that can't be shell variables. */
export function assertKeys(variables: readonly { key: string }[]): void {
  for (const { key } of variables) {
    if (key.length > maxKey_chars || !/^[a-zA-Z0-9_]+$/.test(key))
      throw refusal([`Variables key can contain only letters, digits and '_'.`])
  }
  const twice = firstRepeated(variables.map(({ key }) => key))
  if (twice !== undefined) throw refusal([`Variables have duplicate values (${twice})`])
}

const maxInputs = 100

/** As sent; they are compared with the declared inputs when the file is parsed. Throws 400 for values that no input can have. */
export function readInputs(sent: Record<string, unknown> | undefined): Record<string, PlainValue> {
  const entries = Object.entries(sent ?? {})
  if (entries.length > maxInputs) throw refusal([`Maximum number of inputs (${maxInputs}) exceeded`])
  const wrong = entries.find(([, value]) => !isInput(value))
  if (wrong) throw refusal([`Input ${wrong[0].slice(0, 255)} should be a string, a number, a boolean or an array`])
  return Object.fromEntries(entries) as Record<string, PlainValue>
}

const isInput = (value: unknown) => Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value)

export async function latestPipeline(app: App, repo: Repo, project: LocatedProject, ref: string | undefined): Promise<Pipeline> {
  const wanted = ref || project.default_branch
  const found = wanted ? await findRefNamed(repo, wanted) : null
  const pipeline = found && (await latestOf(app.db, { project_id: project.id, ...found }))
  if (!pipeline) throw missing()
  return pipeline
}

/** Null if it was deleted meanwhile. */
export function cancel(app: App, pipeline: Pipeline): Promise<Pipeline | null> {
  return inTransaction(app.db, (tx) => cancelPipeline(tx, pipeline.id))
}

/** Null if it was deleted meanwhile. */
export function retry(app: App, pipeline: Pipeline, user: User): Promise<Pipeline | null> {
  return inTransaction(app.db, (tx) => retryPipeline(tx, pipeline.id, user.id))
}

/** Deletes a pipeline with its jobs, their traces and artifacts, and the child pipelines of its bridges. */
export async function removePipeline(app: App, pipeline: Pipeline): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const all = [pipeline]
    for (const one of all) for (const child of await childrenOf(tx, one)) if (all.every(({ id }) => id !== child.id)) all.push(child)
    const ids = all.map(({ id }) => id)
    // Prevents runners from taking a job meanwhile.
    for (const id of ids.sort((one, other) => one - other)) await cancelPipeline(tx, id)
    const jobs = await jobIdsOf(tx, ids)
    await removeArtifactsOf(tx, jobs)
    await removeTracesOf(tx, jobs)
    await deletePipelines(tx, ids)
  })
}

/** For any project. Two statements; null if it was deleted. */
export async function presentPipelineOfId(app: App, id: number): Promise<Static<typeof PipelineShape> | null> {
  const pipeline = await placedPipeline(app.db, id)
  return pipeline && presentPipeline(app.config, pipeline, { ...pipeline, user: await starterOf(app.db, pipeline) })
}
