/** Runners, and pending jobs for them, made without regard to how pipelines come to be. */
import { now } from '../../src/db/instants.ts'
import { registrationToken } from '../../src/features/ci/runners/runners.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'
import { jobOf } from './jobs.ts'

export interface TestRunner {
  id: number
  token: string
}

/** Registered for the project, or for the instance. */
export async function runnerOf(forge: Forge, project: TestProject | null, fields: Record<string, unknown> = {}): Promise<TestRunner> {
  const token = project ? project.runners_token : await registrationToken(forge.app, { kind: 'instance' })
  const { status, text, body } = await forge.anonymous.post('/runners', { token, ...fields })
  if (status !== 201) throw new Error(text)
  return body
}

export const noOptions = {
  before_script: [],
  script: ['make'],
  after_script: [],
  image: null,
  services: [],
  artifacts: null,
  cache: [],
  pre_get_sources_script: [],
  cross_dependencies: [],
  pages: null,
  release: null,
}

/** A `PlannedJob`, with everything that isn't given at its least. */
export function planOf(name: string, plan: Record<string, unknown> = {}, options: Record<string, unknown> = {}) {
  return {
    name,
    base_name: name,
    stage: 'test',
    stage_idx: 1,
    when: 'on_success',
    allow_failure: false,
    allow_failure_exit_codes: null,
    start_in_s: null,
    tags: [],
    needs: null,
    dependencies: null,
    variables: [],
    environment: null,
    coverage: null,
    retry: { max: 0, when: [], exit_codes: [] },
    timeout_s: null,
    interruptible: false,
    resource_group: null,
    parallel: null,
    trigger: null,
    manual_confirmation: null,
    ...plan,
    options: { ...noOptions, ...options },
  }
}

interface Pending {
  name?: string
  tags?: string[]
  isProtected?: boolean
  plan?: Record<string, unknown>
  options?: Record<string, unknown>
  ref?: string
  sha?: string
  pipeline_id?: number
}

/** A pending job in the queue; of a pipeline of its own unless one is given. */
export async function pendingJob(
  forge: Forge,
  project: TestProject,
  user: TestUser,
  given: Pending = {},
): Promise<{ id: number; pipeline_id: number }> {
  const { name = 'test', tags = [], isProtected = false, plan = {}, options = {}, ...rest } = given
  const { db } = forge.app
  const job = await jobOf(forge, project, user, { status: 'pending', name, ...rest })
  const wanted = JSON.stringify([...tags].sort())
  await db
    .updateTable('ci_jobs')
    .set({ plan: JSON.stringify(planOf(name, plan, options)), tags: wanted, token_digest: null })
    .where('id', '=', job.id)
    .execute()
  await db
    .updateTable('commit_statuses')
    .set({ started_at: null, protected: isProtected, queued_at: now() })
    .where('id', '=', job.id)
    .execute()
  await db.updateTable('pipelines').set({ protected: isProtected }).where('id', '=', job.pipeline_id).execute()
  await db
    .insertInto('ci_queue')
    .values({ job_id: job.id, project_id: project.id, tags: wanted, protected: isProtected, created_at: now() })
    .execute()
  return { id: job.id, pipeline_id: job.pipeline_id }
}
