/** Pipelines for tests: a project with a CI file, and a runner that ends jobs as the test says. */
import { expect } from 'vitest'
import { type Db, inTransaction } from '../../src/db/database.ts'
import { endJob, takeJob } from '../../src/features/ci/processing/processing.ts'
import { testForge } from './forge.ts'

/** A project whose maintainer has pushed the file on `main`, and created the branch `topic`, whose pipeline is there. */
export async function builtProject(content: string, files: Record<string, string> = {}) {
  const forge = await testForge()
  const maintainer = await forge.user()
  const project = await forge.project({ maintainer, commits: [{ message: 'First', files: { '.gitlab-ci.yml': content, ...files } }] })
  await forge.as(maintainer).post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  await forge.drain()
  const at = `/projects/${project.id}`
  const { body } = await forge.as(maintainer).get(`${at}/pipelines?ref=topic`)
  return { forge, maintainer, project, at, pipeline_id: body[0]?.id as number, as: forge.as(maintainer) }
}

/** `name status` of each job, in their order. */
export async function statusesOf(db: Db, pipeline_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .select(['name', 'status'])
    .where('pipeline_id', '=', pipeline_id)
    .orderBy('id')
    .execute()
  return rows.map(({ name, status }) => `${name} ${status}`)
}

export async function pipelineOf(db: Db, id: number) {
  return db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Takes the pending job of this name as a runner would, once. @returns its id */
export async function takeNamed(db: Parameters<typeof inTransaction>[0], pipeline_id: number, name: string): Promise<number> {
  const { job_id } = await db
    .selectFrom('ci_queue')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_queue.job_id')
    .select('job_id')
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  const taker = { job_id, runner_id: await aRunner(db), timeout_s: 60 }
  const [first, second] = [await inTransaction(db, (tx) => takeJob(tx, taker)), await inTransaction(db, (tx) => takeJob(tx, taker))]
  expect([first?.status.status, second]).toEqual(['running', null])
  return job_id
}

/** Takes a job and ends it. */
export async function runNamed(
  db: Parameters<typeof inTransaction>[0],
  pipeline_id: number,
  name: string,
  status: 'success' | 'failed' = 'success',
) {
  const job_id = await takeNamed(db, pipeline_id, name)
  const ended = await inTransaction(db, (tx) => endJob(tx, job_id, { status, failure_reason: 'script_failure', coverage: 50 }))
  expect(await inTransaction(db, (tx) => endJob(tx, job_id, { status }))).toBeNull()
  return ended
}

let runners = 0

async function aRunner(db: Db): Promise<number> {
  const at = new Date().toISOString()
  const row = { kind: 'instance', token_digest: `of test ${++runners} ${Math.random()}`, created_at: at, updated_at: at } as const
  return (await db.insertInto('ci_runners').values(row).returning('id').executeTakeFirstOrThrow()).id
}
