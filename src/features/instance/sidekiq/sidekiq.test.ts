import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { openForge } from '../../../../test/support/forge.ts'
import { thisProcess } from '../../../program/process-identity.ts'
import { enqueue, job } from '../../../queue/queue.ts'
import { startWorker } from '../../../queue/worker.ts'

const later = { delay_ms: 60_000 }

test('queues have their backlog and the wait of their first job; jobs that are not due wait for nothing', async () => {
  const forge = await openForge()
  await forge.app.db.deleteFrom('jobs').execute()
  const old = job<null>('test.old', { handle: async () => {} })
  const future = job<null>('test.future', { handle: async () => {} })
  await enqueue(forge.app.db, old, null, { delay_ms: -90_000 })
  await enqueue(forge.app.db, old, null)
  await enqueue(forge.app.db, future, null, later)
  const { status, body } = await forge.as(forge.root).get('/sidekiq/queue_metrics')
  expect(status).toBe(200)
  expect(body.queues['test.future']).toEqual({ backlog: 0, latency: 0 })
  expect(body.queues['test.old'].backlog).toBe(2)
  expect(Math.abs(body.queues['test.old'].latency - 90)).toBeLessThan(30)
})

test('attempts are counted, also by a worker that ends, and dead jobs are shown', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  await forge.drain()
  const good = job<null>('test.good', { handle: async () => {} })
  const bad = job<null>('test.bad', { attempts: 1, handle: () => Promise.reject(new Error('no')) })
  await enqueue(forge.app.db, good, null)
  await enqueue(forge.app.db, good, null)
  await enqueue(forge.app.db, bad, null)
  const before = (await root.get('/sidekiq/job_stats')).body.jobs
  const worker = startWorker(forge.app, [good, bad])
  await worker.drain()
  await worker.stop()
  const { jobs } = (await root.get('/sidekiq/job_stats')).body
  expect([jobs.processed - before.processed, jobs.failed - before.failed, jobs.dead]).toEqual([3, 1, 1])
})

test('the process that runs the queue is shown, with its jobs under way, and no dead ones', async () => {
  const forge = await openForge()
  await forge.drain()
  const gone = thisProcess.split(' ').with(4, '99999999').join(' ')
  const at = new Date().toISOString()
  await forge.app.db.insertInto('queue_workers').values({ process: gone, hostname: 'gone', pid: 1, started_at: at, seen_at: at }).execute()
  await forge.app.db
    .insertInto('queue_workers')
    .values({
      process: 'elsewhere - c0ffee - 1 1 nonce',
      hostname: 'elsewhere',
      pid: 7,
      started_at: at,
      seen_at: '2020-01-01T00:00:00.000Z',
    })
    .execute()
  await enqueue(forge.app.db, job<null>('test.running', { handle: async () => {} }), null, later)
  await forge.app.db.updateTable('jobs').set({ owner: thisProcess }).where('name', '=', 'test.running').execute()
  const { body } = await forge.as(forge.root).get('/sidekiq/process_metrics')
  expect(body.processes).toEqual([
    {
      hostname: hostname(),
      pid: process.pid,
      tag: 'gitstead',
      started_at: expect.any(String),
      queues: expect.any(Array),
      labels: [],
      concurrency: 14,
      busy: 1,
    },
  ])
})

test('all figures come at once, at a fixed cost, to administrators only', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  const { body } = await root.get('/sidekiq/compound_metrics')
  expect(Object.keys(body)).toEqual(['queues', 'processes', 'jobs'])
  const few = await forge.cost(() => root.get('/sidekiq/compound_metrics'))
  for (let index = 0; index < 40; index += 1)
    await enqueue(forge.app.db, job<null>(`test.kind${index}`, { handle: async () => {} }), null, later)
  expect(await forge.cost(() => root.get('/sidekiq/compound_metrics'))).toEqual(few)
  const user = forge.as(await forge.user())
  for (const path of ['queue_metrics', 'process_metrics', 'job_stats', 'compound_metrics']) {
    expect((await user.get(`/sidekiq/${path}`)).status).toBe(403)
    expect((await forge.anonymous.get(`/sidekiq/${path}`)).status).toBe(401)
  }
})
