/** Jobs for tests, as rows: made without regard to how pipelines come to be. */
import { digestOf, newToken } from '../../src/access/tokens.ts'
import { inTransaction } from '../../src/db/database.ts'
import { now } from '../../src/db/instants.ts'
import type { CommitStatus, PipelineStatus } from '../../src/db/tables.ts'
import { nextNumber } from '../../src/features/planning/numbering/numbering.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'

export interface TestJob {
  id: number
  pipeline_id: number
  /** It counts while the job runs. */
  token: string
}

interface JobOptions {
  status?: PipelineStatus
  name?: string
  ref?: string
  sha?: string
  /** Of the `PlannedJob`. */
  options?: Record<string, unknown>
  /** The pipeline it belongs to; a new one where none is given. */
  pipeline_id?: number
  tag?: boolean
  pipeline_status?: PipelineStatus
  fields?: Partial<Pick<CommitStatus, 'finished_at' | 'retried'>>
}

const unset = {
  needs: null,
  played_variables: null,
  scheduled_at: null,
  timeout_s: null,
  environment_id: null,
  resource_group_id: null,
  downstream_project_id: null,
  runner_manager_id: null,
  dotenv: null,
  exit_code: null,
  artifacts_expire_at: null,
  erased_at: null,
  erased_by_id: null,
  when_to_run: 'on_success',
} as const

/** Of the `PlannedJob`. */
const plain = {
  allow_failure: false,
  allow_failure_exit_codes: null,
  retry: { max: 0, when: [], exit_codes: [] },
  trigger: null,
  environment: null,
}

/** A job of a pipeline of its own, running unless told otherwise. */
export async function jobOf(
  { app: { db } }: Forge,
  project: TestProject,
  user: TestUser,
  { status = 'running', name = 'test', ref = 'main', sha = '0'.repeat(40), options = {}, tag = false, ...rest }: JobOptions = {},
): Promise<TestJob> {
  const at = now()
  const common = { project_id: project.id, ref, sha, tag, created_at: at, updated_at: at }
  const pipeline_id =
    rest.pipeline_id ?? (await insertPipeline(db, { ...common, status: rest.pipeline_status ?? status, user_id: user.id }))
  const { id } = await db
    .insertInto('commit_statuses')
    .values({
      ...common,
      pipeline_id,
      kind: 'job',
      name,
      stage: 'test',
      stage_idx: 1,
      status,
      allow_failure: false,
      author_id: user.id,
      started_at: at,
      ...rest.fields,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const token = newToken('gstjt')
  const plan = JSON.stringify({ ...plain, name, variables: [], options: { artifacts: null, ...options } })
  await db
    .insertInto('ci_jobs')
    .values({ ...unset, id, project_id: project.id, pipeline_id, plan, token_digest: digestOf(token) })
    .execute()
  return { id, pipeline_id, token }
}

async function insertPipeline(
  db: Forge['app']['db'],
  fields: {
    project_id: number
    ref: string
    sha: string
    tag: boolean
    status: PipelineStatus
    user_id: number
    created_at: string
    updated_at: string
  },
): Promise<number> {
  const iid = await inTransaction(db, (tx) => nextNumber(tx, { project_id: fields.project_id }, 'pipeline'))
  const { id } = await db
    .insertInto('pipelines')
    .values({ ...fields, iid, source: 'push' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Its job ends, and its token with it. */
export async function endJobRow({ app: { db } }: Forge, { id }: { id: number }, status: PipelineStatus = 'success'): Promise<void> {
  await db.updateTable('commit_statuses').set({ status, finished_at: now(), updated_at: now() }).where('id', '=', id).execute()
}
