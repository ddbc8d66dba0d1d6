/** Estimates and spent time of issues: set, added, taken back and reset. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let reporter: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  reporter = await forge.user()
  project = await forge.project({ reporter, visibility: 'public', files: null })
})

async function issuePath(): Promise<string> {
  return `/projects/${project.id}/issues/${(await forge.issue(project, reporter)).iid}`
}

test('an estimate is set, replaced and reset', async () => {
  const at = await issuePath()
  const client = forge.as(reporter)
  expect((await client.get(`${at}/time_stats`)).body).toEqual({
    time_estimate: 0,
    total_time_spent: 0,
    human_time_estimate: null,
    human_total_time_spent: null,
  })
  const set = await client.post(`${at}/time_estimate`, { duration: '3w1h' })
  expect([set.status, set.body.human_time_estimate]).toEqual([200, '3w 1h'])
  for (const duration of ['foo', '-1h', '', '999999999999w']) {
    const refused = await client.post(`${at}/time_estimate`, { duration })
    expect([duration, refused.status, refused.body]).toEqual([duration, 400, { message: { time_estimate: ['has an invalid format'] } }])
  }
  expect((await client.post(`${at}/time_estimate`)).body).toEqual({ error: 'duration is missing' })
  expect((await client.get(`${at}/time_stats`)).body.time_estimate).toBe(121 * 3600)
  const reset = await client.post(`${at}/reset_time_estimate`)
  expect([reset.status, reset.body.time_estimate]).toEqual([200, 0])
})

test('spent time is added and subtracted, never below nothing, and reset', async () => {
  const at = await issuePath()
  const client = forge.as(reporter)
  const spend = (duration: string) => client.post(`${at}/add_spent_time`, { duration })
  const added = await spend('2h')
  expect([added.status, added.body.human_total_time_spent]).toEqual([201, '2h'])
  expect((await spend('-1h')).body.total_time_spent).toBe(3600)
  const tooMuch = await spend('-1w')
  expect([tooMuch.status, tooMuch.body]).toEqual([400, { message: { time_spent: ['Time to subtract exceeds the total time spent'] } }])
  expect((await spend('foo')).status).toBe(400)
  await spend('14000w')
  expect((await spend('14000w')).body).toEqual({ message: { time_spent: ['Total time spent is too long'] } })
  const reset = await client.post(`${at}/reset_spent_time`)
  expect([reset.status, reset.body]).toMatchObject([200, { total_time_spent: 0, human_total_time_spent: null }])
})

test('time that many log at once is all counted', async () => {
  const at = await issuePath()
  await Promise.all(Array.from({ length: 20 }, () => forge.as(reporter).post(`${at}/add_spent_time`, { duration: '3m' })))
  expect((await forge.as(reporter).get(`${at}/time_stats`)).body.human_total_time_spent).toBe('1h')
})

test('time is for those who may edit the issue', async () => {
  const at = await issuePath()
  const stranger = forge.as(await forge.user())
  for (const path of ['time_estimate', 'reset_time_estimate', 'add_spent_time', 'reset_spent_time']) {
    expect([path, (await stranger.post(`${at}/${path}`, { duration: '1h' })).status]).toEqual([path, 403])
  }
  expect((await stranger.get(`${at}/time_stats`)).status).toBe(200)
  expect((await forge.anonymous.get(`${at}/time_stats`)).status).toBe(401)
})
