import { beforeEach, expect, test } from 'vitest'
import { type Forge, openForge } from '../../test/support/forge.ts'
import { thisProcess } from '../program/process-identity.ts'
import { changeJobs, printJobs } from './jobs.ts'

let forge: Forge
let ids: { waiting: number; running: number; dead: number }

beforeEach(async () => {
  forge ??= await openForge()
  const { db } = forge.app
  await forge.cost(async () => {})
  await db.deleteFrom('jobs').execute()
  const row = { payload: '{"secret":"gst-hidden"}', attempts: 5, last_error: null, unique_key: null, asked_by: null, owner: null }
  const at = { run_at: '2999-01-01T00:00:00.000Z', created_at: '2026-01-01T00:00:00.000Z' }
  const rows = await db
    .insertInto('jobs')
    .values([
      { ...row, ...at, name: 'test.waiting', state: 'ready' },
      { ...row, ...at, name: 'test.running', state: 'ready', owner: thisProcess },
      { ...row, ...at, name: 'test.dead', state: 'dead', last_error: 'Error: no\n\u001b[31mline two' },
    ])
    .returning(['id', 'name'])
    .execute()
  const idOf = (name: string) => rows.find((one) => one.name === name)?.id ?? 0
  ids = { waiting: idOf('test.waiting'), running: idOf('test.running'), dead: idOf('test.dead') }
})

async function list(options: { state?: string; json?: boolean } = {}): Promise<string[]> {
  const lines: string[] = []
  await printJobs(forge.app, { json: false, ...options }, (line) => lines.push(line))
  return lines.filter((line) => /^ID|test\.|^\[/.test(line))
}

async function change(kind: 'retry' | 'delete', chosen: Array<number | string>, dead = false): Promise<string> {
  const lines: string[] = []
  await changeJobs(forge.app, { ids: chosen.map(String), dead, json: false, change: kind }, (line) => lines.push(line))
  return lines.join('\n')
}

const own = async () =>
  (await forge.app.db.selectFrom('jobs').selectAll().where('name', 'like', 'test.%').orderBy('id').execute()).map(
    ({ name, state, attempts }) => [name, state, attempts],
  )

test('jobs are listed a line each, by state, without payloads and control characters', async () => {
  const lines = await list()
  expect(lines[0]).toMatch(/^ID +STATE +ATTEMPTS +DUE +JOB +LAST ERROR$/)
  expect(lines.length).toBe(4)
  expect(lines.find((line) => line.includes('test.dead'))).toMatch(/^\d+ +dead +5 +2999-\S+ +test\.dead +Error: no \[31mline two$/)
  expect(await list({ state: 'running' })).toHaveLength(2)
  expect(await list({ state: 'dead' })).toHaveLength(2)
  expect(lines.join()).not.toContain('gst-hidden')
})

test('--json prints one array', async () => {
  const jobs = JSON.parse((await list({ state: 'dead', json: true }))[0] ?? '')
  expect(jobs).toMatchObject([{ id: ids.dead, name: 'test.dead', state: 'dead', attempts: 5, last_error: expect.stringContaining('no') }])
  expect(Object.keys(jobs[0])).not.toContain('payload')
})

test('a dead job that is retried is due, with all its attempts before it', async () => {
  expect(await change('retry', [ids.dead])).toBe('1 job will run again.')
  expect((await own()).find(([name]) => name === 'test.dead')).toEqual(['test.dead', 'ready', 0])
})

test('all dead jobs are retried or deleted at once, and no others', async () => {
  expect(await change('delete', [], true)).toBe('1 job deleted.')
  expect(await change('retry', [], true)).toBe('0 jobs will run again.')
  expect((await own()).map(([name]) => name)).toEqual(['test.waiting', 'test.running'])
})

test.each([
  [['999999'], 'there is no job 999999; nothing was changed'],
  [['x'], 'the id of a job must be a positive number (got "x")'],
  [['-1'], 'the id of a job must be a positive number (got "-1")'],
  [['0'], 'the id of a job must be a positive number (got "0")'],
  [['9'.repeat(16)], `the id of a job must be a positive number (got "${'9'.repeat(16)}")`],
  [[], 'name the ids of jobs, or --dead for all dead ones'],
])('%j is refused', async (chosen, message) => {
  await expect(change('delete', chosen)).rejects.toThrow(message)
  await expect(change('retry', chosen)).rejects.toThrow(message)
})

test('no job is changed if one of several is unknown or running', async () => {
  await expect(change('delete', [ids.dead, 999_999])).rejects.toThrow('there is no job 999999')
  await expect(change('delete', [ids.dead, ids.running])).rejects.toThrow(`job ${ids.running} is running; nothing was changed`)
  expect(await own()).toHaveLength(3)
  await expect(list({ state: 'lost' })).rejects.toThrow('--state must be one of waiting, running, dead (got "lost")')
})
