/** Canceling jobs whose runner is able to run `after_script` first, by requests as such agents send them. */
import { expect, test } from 'vitest'
import { builtProject, pipelineOf, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { runnerOf } from '../../../../test/support/fixtures/runners.ts'
import { endLostJob } from './agents.jobs.ts'

const file = 'a: {script: [x], after_script: [y], retry: 2}\nb: {script: [x], needs: [a]}'

/** A job that runs on an agent of today. */
async function running() {
  const built = await builtProject(file)
  const { forge, project, as, at, pipeline_id } = built
  await as.post(`${at}/pipelines/${(await as.get(`${at}/pipelines?ref=main`)).body[0].id}/cancel`)
  const runner = await runnerOf(forge, project)
  const info = { name: 'runner', features: { cancel_gracefully: true, cancelable: true } }
  const { body: job } = await forge.anonymous.post('/jobs/request', { token: runner.token, info })
  expect(job.job_info.pipeline_id).toBe(pipeline_id)
  const report = async (body: Record<string, unknown>) => {
    const { status, headers } = await forge.anonymous.request('PUT', `/jobs/${job.id}`, { token: job.token, ...body })
    return [status, headers['job-status']]
  }
  const patch = async (text: string, from: number) => {
    const headers = { 'content-range': `${from}-${from + text.length - 1}`, 'content-type': 'text/plain', 'job-token': job.token }
    const answer = await forge.server.inject({ method: 'PATCH', url: `/api/v4/jobs/${job.id}/trace`, headers, payload: Buffer.from(text) })
    return [answer.statusCode, answer.headers['job-status']]
  }
  return { ...built, job, report, patch, one: `${at}/jobs/${job.id}`, db: forge.app.db }
}

test('a canceled job runs on until its runner has run after_script; it is canceled then, and nothing repeats it', async () => {
  const { as, one, at, job, report, patch, db, pipeline_id } = await running()
  expect(await patch('begun\n', 0)).toEqual([202, 'running'])

  const canceled = await as.post(`${at}/pipelines/${pipeline_id}/cancel`)
  expect([canceled.status, canceled.body.status]).toEqual([200, 'running'])
  expect((await as.get(one)).body.status).toBe('canceling')
  expect(await statusesOf(db, pipeline_id)).toEqual(['a running', 'b canceled'])
  expect(await patch('after\n', 6)).toEqual([202, 'canceling'])
  expect(await report({ state: 'running' })).toEqual([200, 'canceling'])
  // Once more changes nothing.
  expect((await as.post(`${one}/cancel`)).body.status).toBe('canceling')
  expect(await report({ state: 'failed', failure_reason: 'job_canceled', output: { bytesize: 12 } })).toEqual([200, undefined])
  expect(await statusesOf(db, pipeline_id)).toEqual(['a canceled', 'b canceled'])
  expect((await pipelineOf(db, pipeline_id)).status).toBe('canceled')
  expect((await as.get(`${one}/trace`)).text).toBe('begun\nafter\n')
  expect((await as.get(one)).body).toMatchObject({ id: job.id, status: 'canceled' })
})

test('by force it is canceled at once, and its runner hears so', async () => {
  const { as, one, report } = await running()
  await as.post(`${one}/cancel`)
  expect((await as.post(`${one}/cancel`, { force: true })).body.status).toBe('canceled')
  expect(await report({ state: 'running' })).toEqual([403, 'canceled'])
})

test('a runner that is never heard of again leaves a canceled job', async () => {
  const { forge, as, one, db, job } = await running()
  await as.post(`${one}/cancel`)
  await endLostJob.handle(forge.app, {})
  expect((await as.get(one)).body.status).toBe('canceling')
  const long_ago = new Date(Date.now() - 11 * 60_000).toISOString()
  await db.updateTable('ci_jobs').set({ canceling_at: long_ago }).where('id', '=', job.id).execute()
  await db.updateTable('commit_statuses').set({ started_at: long_ago }).where('id', '=', job.id).execute()
  await endLostJob.handle(forge.app, {})
  expect((await as.get(one)).body.status).toBe('canceled')
})

test('a job waits for the rest of its trace, and ends all the same where that has another checksum', async () => {
  const { report, patch, as, one } = await running()
  await patch('hello\n', 0)
  expect(await report({ state: 'success', output: { checksum: 'crc32:ffffffff', bytesize: 7 } })).toEqual([202, 'running'])
  expect(await report({ state: 'success', output: { checksum: 'crc32:ffffffff', bytesize: 6 } })).toEqual([200, undefined])
  expect((await as.get(one)).body.status).toBe('success')
})
