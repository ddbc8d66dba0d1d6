/** Rules of commit statuses: each belongs to a pipeline of its ref and commit, whose status is computed from all of them. */
import type { Transaction } from 'kysely'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Pipeline, Tables, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, notFound } from '../../../failure.ts'
import { refsContaining } from '../../../git/refs/refs.ts'
import { countedFor } from '../../../git/repository/handles.ts'
import { userKey } from '../../../limits/callers.ts'
import { parseUrl } from '../../../text/parse-url.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import { lockProject } from '../../spaces/projects/projects.ts'
import { insertPipelineRow, latestPipelineOf } from '../pipelines/pipelines.ts'
import { advancePipeline, hasEnded, lockPipeline } from '../processing/processing.ts'
import { type AuthoredStatus, findOpenStatus, insertStatus, retireOthers, updateStatus } from './statuses.queries.ts'
import { type State, transitionError } from './transitions.ts'

export interface StatusRequest {
  state: State
  /** A branch or tag; by default the first branch that contains the commit. */
  ref?: string | undefined
  name: string
  target_url?: string | undefined
  description?: string | undefined
  /** In percent. */
  coverage?: number | undefined
}

/** Adds or updates a status. Throws 400 for invalid values and transitions, 404 if no branch contains the commit. */
export async function postStatus(app: App, projectId: number, author: User, sha: string, request: StatusRequest): Promise<AuthoredStatus> {
  assertWellFormed(request)
  const ref = request.ref || (await firstBranchWith(app, projectId, author, sha))
  const status = await inTransaction(app.db, async (tx) => {
    const pipeline = await pipelineFor(tx, { project_id: projectId, sha, ref, user_id: author.id })
    const written = await writeStatus(tx, pipeline, author.id, request)
    // The status of the pipeline is updated as for jobs.
    await advancePipeline(tx, pipeline.id)
    if (written.status === 'failed' && !written.allow_failure)
      await publish(tx, { type: 'commit_status_failed', project_id: projectId, sha, at: now() })
    return written
  })
  return { ...status, author }
}

const longest = 255
const longestRef = 1_024

function assertWellFormed({ ref, name, target_url, description }: StatusRequest): void {
  assertValid({
    ref: lengthError(ref, longestRef),
    name: lengthError(name, longest),
    target_url: urlError(target_url) ?? lengthError(target_url?.trim(), longest),
    description: lengthError(description, longest),
  })
}

function urlError(text = ''): string | null {
  if (text.trim() === '') return null
  const url = parseUrl(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'is blocked: Only allowed protocols are http, https'
  // A browser would drop these characters and open another URL than the text shows.
  return /\s/.test(text.trim()) ? 'is blocked: URI is invalid' : null
}

async function firstBranchWith(app: App, projectId: number, author: User, sha: string): Promise<string> {
  const [first] = await refsContaining(countedFor(app.git.open(projectId), userKey(author)), sha, ['heads'])
  if (first === undefined) throw notFound('References for commit')
  return first.slice('refs/heads/'.length)
}

type Tx = Transaction<Tables>

/** Finds or creates the pipeline, and locks it until the transaction ends. */
async function pipelineFor(tx: Tx, place: { project_id: number; sha: string; ref: string; user_id: number }): Promise<Pipeline> {
  const { project_id } = place
  const found = await lockLatest(tx, place)
  if (found) return found
  // From here on, nobody else creates one in this project.
  await lockProject(tx, project_id)
  const madeMeanwhile = await lockLatest(tx, place)
  if (madeMeanwhile) return madeMeanwhile
  const at = now()
  const iid = await nextNumber(tx, { project_id }, 'pipeline')
  return insertPipelineRow(tx, { ...place, iid, tag: false, source: 'external', status: 'created', created_at: at, updated_at: at })
}

/** Null if there is none, or it is just being deleted. */
async function lockLatest(tx: Tx, place: { project_id: number; sha: string; ref: string }): Promise<Pipeline | null> {
  const found = await latestPipelineOf(tx, place)
  return found && lockPipeline(tx, found.id)
}

/** Updates the author's open status, or inserts a new one. Fields that aren't given are kept. */
async function writeStatus(tx: Tx, pipeline: Pipeline, author_id: number, request: StatusRequest) {
  const open = await findOpenStatus(tx, pipeline.id, request.name, author_id)
  const fieldError = transitionError(open?.status ?? 'created', request.state)
  if (fieldError) throw invalid(fieldError)
  const at = now()
  const change = {
    status: request.state,
    ...(request.target_url?.trim() && { target_url: request.target_url.trim() }),
    ...(request.description?.trim() && { description: request.description }),
    ...(request.coverage !== undefined && { coverage: toHundredths(request.coverage) }),
    ...(request.state === 'running' && { started_at: at }),
    ...(hasEnded(request.state) && { finished_at: at }),
    updated_at: at,
  }
  if (open) return updateStatus(tx, open.id, change)
  const { id: pipeline_id, project_id, sha, ref } = pipeline
  const { name } = request
  await retireOthers(tx, pipeline_id, name)
  return insertStatus(tx, {
    pipeline_id,
    project_id,
    sha,
    ref,
    name,
    stage: 'external',
    allow_failure: false,
    author_id,
    created_at: at,
    ...change,
  })
}

/** Both engines store two decimals alike, but not more. */
function toHundredths(percent: number): number {
  return Math.round(percent * 100) / 100
}
