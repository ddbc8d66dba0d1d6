import { expect, onTestFinished, test, vi } from 'vitest'
import { pendingJob, runnerOf, type TestRunner } from '../../../../test/support/fixtures/runners.ts'
import { type Forge, type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'

const shared = { shared_runners_enabled: true }

/** The next request looks anew. */
const request = (forge: Forge, { token }: Pick<TestRunner, 'token'>, more: Record<string, unknown> = {}) =>
  forge.anonymous.post('/jobs/request', { token, ...more })

async function setUp(
  forge: Forge,
  fields: Record<string, unknown> = {},
): Promise<{ project: TestProject; sha: string; runner: TestRunner }> {
  const project = await forge.project()
  return { project, sha: await git(project.dir, 'rev-parse', 'main'), runner: await runnerOf(forge, project, fields) }
}

/** Requests until there is a job, or none after the queue was looked at anew. */
async function jobFor(forge: Forge, runner: TestRunner): Promise<number | null> {
  for (let tries = 0; tries < 30; tries += 1) {
    const { status, body } = await request(forge, runner)
    if (status === 201) return body.id
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return null
}

test('a runner gets a pending job of its project once, and its pipeline runs', async () => {
  const forge = await testForge()
  const { project, sha, runner } = await setUp(forge)
  const none = await request(forge, runner)
  const job = await pendingJob(forge, project, forge.root, { sha })

  expect([none.status, none.text, none.headers['x-gitlab-last-update']]).toEqual([204, '', expect.stringMatching(/^[0-9a-f]{32}$/)])
  expect(await jobFor(forge, runner)).toBe(job.id)
  expect(await jobFor(forge, runner)).toBeNull()
  const row = await forge.app.db.selectFrom('commit_statuses').selectAll().where('id', '=', job.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'running', runner_id: runner.id })
  expect(await forge.app.db.selectFrom('pipelines').select('status').where('id', '=', job.pipeline_id).executeTakeFirst()).toEqual({
    status: 'running',
  })
})

test('a runner that knows the state of the queue waits, and gets the job that comes', async () => {
  const forge = await testForge()
  const { project, sha, runner } = await setUp(forge)
  const first = await request(forge, runner)
  const waiting = request(forge, runner, { last_update: first.headers['x-gitlab-last-update'] })
  const job = await pendingJob(forge, project, forge.root, { sha })

  const answer = await waiting
  expect([answer.status, answer.body.id, answer.headers['x-gitlab-last-update']]).toEqual([201, job.id, undefined])
})

test('a runner that waits is told of a job as it is queued, before it is time to look again', async () => {
  const forge = await testForge()
  const { project, sha, runner } = await setUp(forge)
  const first = await request(forge, runner)
  // That time never comes.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const waiting = request(forge, runner, { last_update: first.headers['x-gitlab-last-update'] })
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  const { id } = await pendingJob(forge, project, forge.root, { sha })
  await inTransaction(forge.app.db, (tx) => publish(tx, { type: 'jobs_queued', project_id: project.id, job_ids: [id] }))

  expect((await waiting).body.id).toBe(id)
})

test('tags, protection and pause decide who gets a job', onPostgresAlone('2 s of processor.'), async () => {
  const forge = await testForge()
  const { project, sha, runner: plain } = await setUp(forge)
  const tagged = await runnerOf(forge, project, { tag_list: 'linux,ssd', run_untagged: false })
  const guarded = await runnerOf(forge, project, { access_level: 'ref_protected', tag_list: 'linux' })
  const paused = await runnerOf(forge, project, { paused: true })
  const elsewhere = await runnerOf(forge, await forge.project())

  const one = await pendingJob(forge, project, forge.root, { sha, tags: ['linux'] })
  expect([await jobFor(forge, plain), await jobFor(forge, elsewhere), await jobFor(forge, guarded)]).toEqual([null, null, null])
  expect(await jobFor(forge, tagged)).toBe(one.id)
  const two = await pendingJob(forge, project, forge.root, { sha, isProtected: true })
  expect([await jobFor(forge, tagged), await jobFor(forge, paused)]).toEqual([null, null])
  expect(await jobFor(forge, guarded)).toBe(two.id)
})

test('runners of the instance serve projects that let them, the one with the fewest jobs first', async () => {
  const forge = await testForge()
  const runner = await runnerOf(forge, null, { tag_list: 'fair', run_untagged: false })
  const many = await setUp(forge)
  const few = await setUp(forge)
  const closed = await setUp(forge)
  await forge.app.db.updateTable('projects').set({ shared_runners_enabled: false }).where('id', '=', closed.project.id).execute()
  await forge.app.db.updateTable('projects').set(shared).where('id', 'in', [many.project.id, few.project.id]).execute()
  await pendingJob(forge, closed.project, forge.root, { sha: closed.sha, tags: ['fair'] })
  const first = await pendingJob(forge, many.project, forge.root, { sha: many.sha, tags: ['fair'] })
  const last = await pendingJob(forge, many.project, forge.root, { sha: many.sha, tags: ['fair'] })
  const other = await pendingJob(forge, few.project, forge.root, { sha: few.sha, tags: ['fair'] })

  const order = [await jobFor(forge, runner), await jobFor(forge, runner), await jobFor(forge, runner), await jobFor(forge, runner)]
  expect(order).toEqual([first.id, other.id, last.id, null])
})

test('of many runners that ask at once each job goes to one', async () => {
  const forge = await testForge()
  const { project, sha } = await setUp(forge)
  const runners = await Promise.all(Array.from({ length: 8 }, () => runnerOf(forge, project)))
  const jobs = []
  for (let count = 0; count < 12; count += 1) jobs.push((await pendingJob(forge, project, forge.root, { sha })).id)

  const taken = (await Promise.all(runners.flatMap((runner) => [jobFor(forge, runner), jobFor(forge, runner)]))).filter((id) => id !== null)
  expect(taken.sort((one, other) => one - other)).toEqual(jobs)
})

test('an idle runner costs two statements at the most, however many ask', async () => {
  const forge = await testForge()
  // As in the program: elsewhere in tests runners share no look.
  forge.app.limits.sharedLook_ms = 20
  const { runner } = await setUp(forge)
  await request(forge, runner)
  const { statements } = await forge.cost(async () => {
    for (let count = 0; count < 20; count += 1) await request(forge, runner)
  })
  forge.app.limits.sharedLook_ms = 0
  expect(statements).toBeLessThanOrEqual(40)
})

test('a wrong token, a deleted runner and a blocked user get no job', async () => {
  const forge = await testForge()
  const { project, sha, runner } = await setUp(forge)
  const blocked = await forge.user()
  await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute()
  const job = await pendingJob(forge, project, blocked, { sha })
  expect(await jobFor(forge, runner)).toBeNull()
  const ended = await forge.app.db.selectFrom('commit_statuses').selectAll().where('id', '=', job.id).executeTakeFirst()
  expect(ended).toMatchObject({ status: 'failed', failure_reason: 'user_blocked' })

  await pendingJob(forge, project, forge.root, { sha })
  await forge.anonymous.request('DELETE', '/runners', { token: runner.token })
  expect([
    (await request(forge, runner)).status,
    (await request(forge, { token: 'wrong' })).status,
    (await forge.anonymous.post('/jobs/request', {})).status,
  ]).toEqual([403, 403, 400])
})

test('a job whose commit is gone fails, and the runner gets the next one', async () => {
  const forge = await testForge()
  const { project, sha, runner } = await setUp(forge)
  const broken = await pendingJob(forge, project, forge.root, { sha: 'f'.repeat(40) })
  const whole = await pendingJob(forge, project, forge.root, { sha })

  expect(await jobFor(forge, runner)).toBe(whole.id)
  const ended = await forge.app.db.selectFrom('commit_statuses').selectAll().where('id', '=', broken.id).executeTakeFirst()
  expect(ended).toMatchObject({ status: 'failed', failure_reason: 'data_integrity_failure' })
})

test('agents that look for a router of jobs are told that there is none, in the status that they know', async () => {
  const forge = await testForge()
  const { runner } = await setUp(forge)
  const ask = (token: string) => forge.anonymous.get('/runners/router/discovery', { headers: { 'runner-token': token } })
  const answer = await ask(runner.token)
  expect([answer.status, answer.body]).toEqual([501, { message: '501 Not Implemented' }])
  expect([(await ask('wrong')).status, (await forge.anonymous.get('/runners/router/discovery')).status]).toEqual([403, 403])
})
