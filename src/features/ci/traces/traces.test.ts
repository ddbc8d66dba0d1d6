import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32, gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { endJobRow, jobOf, type TestJob } from '../../../../test/support/fixtures/jobs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { maxTrace_bytes } from './append.service.ts'
import { compactTraceJob } from './traces.jobs.ts'
import { closeTraces } from './traces.subscribers.ts'
import { openTrace, removeTracesOf, tailOfTrace } from './traces.ts'

let forge: Forge
let developer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  project = await forge.project({ developer })
})

const send = async ({ id, token }: TestJob, start: number, text: string | Buffer, headers: Record<string, string> = {}) => {
  const payload = Buffer.from(text)
  const answer = await forge.server.inject({
    method: 'PATCH',
    url: `/api/v4/jobs/${id}/trace`,
    headers: { 'job-token': token, 'content-range': `${start}-${start + payload.length - 1}`, 'content-type': 'text/plain', ...headers },
    payload,
  })
  return { status: answer.statusCode, range: answer.headers.range, state: answer.headers['job-status'], text: answer.body }
}

const read = (job: { id: number }, headers: Record<string, string> = {}) =>
  forge.as(developer, { headers }).get(`/projects/${project.id}/jobs/${job.id}/trace`)

async function end(job: TestJob): Promise<void> {
  await endJobRow(forge, job)
  const changes = [
    { id: job.id, name: 'test', kind: 'job' as const, environment_id: null, before: 'running' as const, after: 'success' as const },
  ]
  const event = { type: 'job_statuses_changed' as const, project_id: project.id, pipeline_id: job.pipeline_id, changes, at: now() }
  await inTransaction(forge.app.db, (tx) => closeTraces(tx, event))
  await forge.drain()
}

async function maskedVariable(value: string): Promise<void> {
  const at = now()
  await forge.app.db
    .insertInto('ci_variables')
    .values({
      project_id: project.id,
      namespace_id: null,
      key: `KEY_${value.length}_${Math.random()}`.replace('.', ''),
      value: forge.app.secrets.seal(value, 'ci_variables.value'),
      masked: true,
      description: null,
      created_at: at,
      updated_at: at,
    })
    .execute()
}

test('a trace grows piece by piece, is read while it does, and is the same afterwards', async () => {
  const job = await jobOf(forge, project, developer)
  const empty = await read(job)
  expect([empty.status, empty.text]).toEqual([200, ''])
  expect(await send(job, 0, 'one\n')).toEqual({ status: 202, range: '0-4', state: 'running', text: '"0-4"' })
  expect(await send(job, 4, 'two\n')).toMatchObject({ status: 202, range: '0-8' })

  const growing = await read(job)
  const part = await read(job, { range: 'bytes=4-' })
  expect([growing.status, growing.text, growing.headers['content-type']]).toEqual([200, 'one\ntwo\n', 'text/plain; charset=utf-8'])
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, 'two\n', 'bytes 4-7/8'])
  expect((await read(job, { 'if-none-match': growing.headers.etag as string })).status).toBe(304)

  await end(job)

  const whole = await read(job)
  const row = await forge.app.db.selectFrom('ci_traces').selectAll().where('job_id', '=', job.id).executeTakeFirstOrThrow()
  const pieces = await forge.app.db.selectFrom('ci_trace_chunks').selectAll().where('job_id', '=', job.id).execute()
  expect([whole.text, pieces, row.length, row.crc32]).toEqual(['one\ntwo\n', [], 8, crc32('one\ntwo\n')])
  expect(gunzipSync(await buffer(await forge.app.store.open(row.store_key as string))).toString()).toBe('one\ntwo\n')
  expect([(await read(job, { range: 'bytes=-3' })).text, (await read(job, { range: 'bytes=9-' })).status]).toEqual(['wo\n', 416])
  expect(await tailOfTrace(forge.app, job.id, 3)).toBe('wo\n')
})

test('a trace that is given up before its first byte, or read at its end, leaves no file open', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, 'one')
  await end(job)
  const opened: Readable[] = []
  const store = {
    ...forge.app.store,
    open: async (key: string) => {
      const object = await forge.app.store.open(key)
      opened.push(object)
      return object
    },
  }
  const trace = await openTrace({ ...forge.app, store }, job.id)
  const given = await trace?.read()
  given?.destroy()
  expect(await buffer((await trace?.read(3)) as Readable)).toHaveLength(0)
  await Promise.all(opened.map((object) => object.closed || once(object, 'close')))
  expect(opened).toHaveLength(2)
})

test('a piece after a gap, or before the end of the trace, is refused with the current range; a repeated piece counts once', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, 'abcdef')
  expect(await send(job, 7, 'h')).toMatchObject({ status: 416, range: '0-6', state: 'running' })
  expect(await send(job, 0, 'abc')).toMatchObject({ status: 416, range: '0-6' })
  expect(await send(job, 0, 'abcdef')).toMatchObject({ status: 202, range: '0-6' })
  expect(await send(job, 3, 'defghi')).toMatchObject({ status: 202, range: '0-9' })
  expect((await read(job)).text).toBe('abcdefghi')
})

test('the document of the API says that a piece is bytes, where it begins, and what the answer tells', async () => {
  const { body } = await forge.anonymous.get('/openapi.json')
  const { parameters, requestBody, responses } = body.paths['/jobs/{id}/trace'].patch
  expect(parameters.find(({ in: at }: { in: string }) => at === 'header')).toMatchObject({ name: 'Content-Range', required: true })
  expect(Object.keys(requestBody.content)).toEqual(['text/plain'])
  expect(Object.keys(responses[202].headers)).toEqual(['Job-Status', 'Range', 'X-GitLab-Trace-Update-Interval'])
  expect([Object.keys(responses).includes('416'), Object.keys(responses).includes('415')]).toEqual([true, false])
})

test('two machines that send the same piece at once leave it once', async () => {
  const job = await jobOf(forge, project, developer)
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(job, 0, 'x'.repeat(1_000))))
  expect([answers.map(({ status }) => status), (await read(job)).text.length]).toEqual([[202, 202, 202, 202, 202], 1_000])
})

test('without a range, with a wrong one, a wrong token, or for a job that has ended, nothing is taken', async () => {
  const job = await jobOf(forge, project, developer)
  const other = await jobOf(forge, project, developer)
  expect(await send(job, 0, 'x', { 'content-range': '' })).toMatchObject({ status: 400 })
  for (const range of ['-1-5', 'a-b', '1e3-4', `${'9'.repeat(30)}-1`])
    expect((await send(job, 0, 'x', { 'content-range': range })).status).toBe(400)
  expect(await send({ ...job, token: other.token }, 0, 'x')).toMatchObject({ status: 403 })
  expect(await send({ ...job, id: 999_999 }, 0, 'x')).toMatchObject({ status: 403 })
  expect((await send({ ...job, token: developer.token }, 0, 'x')).status).toBe(403)
  await endJobRow(forge, job, 'canceled')
  expect(await send(job, 0, 'x')).toMatchObject({ status: 403, state: 'canceled' })
  expect((await read(job)).text).toBe('')
})

test(
  'masked values are nowhere in what is stored or read, however the pieces cut them',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const secret = 'p4ssw0rd-of-the-database'
    await maskedVariable(secret)
    for (let cut = 0; cut <= secret.length; cut += 1) {
      const job = await jobOf(forge, project, developer)
      const text = `before ${secret} after ${secret}`
      const pieces = [text.slice(0, 7 + cut), text.slice(7 + cut, 8 + cut), text.slice(8 + cut, -3), text.slice(-3)]
      let at = 0
      const seen: string[] = []
      for (const piece of pieces) {
        await send(job, at, piece)
        at += piece.length
        seen.push((await read(job)).text)
      }
      const x = 'x'.repeat(secret.length)
      expect(seen.at(-1)).toBe(`before ${x} after ${x}`)
      expect(seen.join('|')).not.toContain('p4ss')
      const rows = await forge.app.db.selectFrom('ci_trace_chunks').select('bytes').where('job_id', '=', job.id).orderBy('start').execute()
      expect(Buffer.concat(rows.map(({ bytes }) => bytes)).toString()).not.toContain(secret)
    }
  },
)

test('the token of the job is masked too', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, `cloning with ${job.token}\n`)
  expect((await read(job)).text).toBe(`cloning with ${'x'.repeat(job.token.length)}\n`)
})

test('a trace beyond its limit is counted, not kept, and says so', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, 'start')
  await forge.app.db
    .updateTable('ci_traces')
    .set({ length: maxTrace_bytes - 4, shown: maxTrace_bytes - 4 })
    .where('job_id', '=', job.id)
    .execute()
  expect(await send(job, maxTrace_bytes - 4, 'abcdefgh')).toMatchObject({ status: 202, range: `0-${maxTrace_bytes + 4}` })
  expect(await send(job, maxTrace_bytes + 4, 'more')).toMatchObject({ status: 202, range: `0-${maxTrace_bytes + 8}` })
  const end = await read(job, { range: `bytes=${maxTrace_bytes - 4}-` })
  expect([end.text.slice(0, 4), end.text.includes('efgh'), end.text]).toEqual([
    'abcd',
    false,
    expect.stringContaining('longer than 100 MB'),
  ])
})

test('many small pieces and large ones are read whole, from any byte', async () => {
  const job = await jobOf(forge, project, developer)
  const text = Array.from({ length: 60_000 }, (_, index) => `${index}\n`).join('')
  let at = 0
  for (const size of [...Array.from({ length: 90 }, () => 97), 200_000, text.length]) {
    const piece = text.slice(at, at + size)
    expect((await send(job, at, piece)).status).toBe(202)
    at += piece.length
  }
  const whole = (await read(job)).text
  const from = (await read(job, { range: 'bytes=8000-300000' })).text
  expect([whole === text, from === text.slice(8_000, 300_001)]).toEqual([true, true])
  await end(job)
  const after = (await read(job, { range: 'bytes=8000-300000' })).text
  expect(after === text.slice(8_000, 300_001)).toBe(true)
})

test('what arrives while a trace is compacted is in it, and it is done once', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, 'one ')
  const { store } = forge.app
  let sent = false
  const slow = {
    ...forge.app,
    store: {
      ...store,
      async putDraft(...all: Parameters<typeof store.putDraft>) {
        if (!sent) await send(job, 4, 'two')
        sent = true
        return store.putDraft(...all)
      },
    },
  }
  await compactTraceJob.handle(slow, { job_id: job.id })
  await compactTraceJob.handle(slow, { job_id: job.id })
  expect((await read(job)).text).toBe('one two')
  expect((await send(job, 7, 'late')).status).toBe(403)
})

test('a trace that is removed is gone, and its object with it', async () => {
  const job = await jobOf(forge, project, developer)
  await send(job, 0, 'text')
  await end(job)
  const { store_key } = await forge.app.db.selectFrom('ci_traces').selectAll().where('job_id', '=', job.id).executeTakeFirstOrThrow()
  await inTransaction(forge.app.db, (tx) => removeTracesOf(tx, [job.id]))
  const rows = await forge.app.db
    .selectFrom('unreferenced_objects')
    .select('key')
    .where('key', '=', store_key as string)
    .execute()
  expect([(await read(job)).text, rows.length]).toEqual(['', 1])
})

test('those who may not see jobs see no trace; with public jobs everybody who sees the project does', async () => {
  const reporter = await forge.user()
  const guest = await forge.user()
  const stranger = await forge.user()
  const open = await forge.project({ visibility: 'public', reporter, guest, developer })
  const job = await jobOf(forge, open, developer)
  await send(job, 0, 'text')
  const get = async (user: TestUser) => (await forge.as(user).get(`/projects/${open.id}/jobs/${job.id}/trace`)).status
  expect([await get(reporter), await get(guest), await get(stranger)]).toEqual([200, 200, 200])
  await forge.app.db.updateTable('projects').set({ public_jobs: false }).where('id', '=', open.id).execute()
  expect([await get(reporter), await get(guest), await get(stranger)]).toEqual([200, 403, 403])
  await forge.app.db.updateTable('projects').set({ builds_access_level: 'disabled' }).where('id', '=', open.id).execute()
  expect(await get(reporter)).toBe(403)
  const elsewhere = await forge.as(developer).get(`/projects/${project.id}/jobs/${job.id}/trace`)
  expect([elsewhere.status, elsewhere.body]).toEqual([404, { message: '404 Not found' }])
})

test('a debug trace, which contains all variables, is shown to developers only, even if others see the job', async () => {
  const reporter = await forge.user()
  const open = await forge.project({ developer, reporter, visibility: 'public' })
  await forge.app.db.updateTable('projects').set({ public_jobs: true }).where('id', '=', open.id).execute()
  const job = await jobOf(forge, open, developer)
  const readers = [forge.anonymous, forge.as(reporter), forge.as(developer)]
  const statuses = async () => {
    const at = `/projects/${open.id}/jobs/${job.id}/trace`
    return Promise.all(readers.map(async (reader) => (await reader.get(at)).status))
  }
  const before = await statuses()

  const sent = await forge.server.inject({
    method: 'PATCH',
    url: `/api/v4/jobs/${job.id}/trace?debug_trace=true`,
    headers: { 'job-token': job.token, 'content-range': '0-2' },
    payload: 'abc',
  })

  expect([before, sent.statusCode, await statuses()]).toEqual([[200, 200, 200], 202, [403, 403, 200]])
})
