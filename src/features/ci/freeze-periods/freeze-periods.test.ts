import { expect, test } from 'vitest'
import { builtProject, statusesOf } from '../../../../test/support/fixtures/built-pipelines.ts'
import { runnerOf } from '../../../../test/support/fixtures/runners.ts'
import { testForge } from '../../../../test/support/forge.ts'
import { isFrozen } from './freeze-periods.ts'

test('a freeze period is created, read, updated and deleted, and freezes while it lasts', async () => {
  const forge = await testForge()
  const maintainer = await forge.user()
  const reporter = await forge.user()
  const project = await forge.project({ maintainer, reporter })
  const at = `/projects/${project.id}/freeze_periods`
  const client = forge.as(maintainer)
  const weekend = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' }

  const created = await client.post(at, weekend)
  const one = `${at}/${created.body.id}`

  expect([created.status, created.body]).toMatchObject([201, { ...weekend, cron_timezone: 'UTC' }])
  expect(await isFrozen(forge.app.db, project.id, new Date('2026-11-21T12:00:00Z'))).toBe(true)
  expect(await isFrozen(forge.app.db, project.id, new Date('2026-11-24T12:00:00Z'))).toBe(false)
  expect((await client.put(one, { freeze_end: '0 8 * * 1' })).body.freeze_end).toBe('0 8 * * 1')
  expect((await client.put(one, { freeze_end: 'never' })).body).toEqual({ message: { freeze_end: ['is invalid syntax'] } })
  expect([(await forge.as(reporter).get(at)).status, (await forge.as(reporter).post(at, weekend)).status]).toEqual([200, 403])
  expect((await client.delete(one)).status).toBe(204)
  expect((await client.get(one)).status).toBe(404)
})

test('in a freeze period rules and jobs know CI_DEPLOY_FREEZE, and without one they do not', async () => {
  const file = `out: {script: x, rules: [{if: $CI_DEPLOY_FREEZE == null}]}
test: {script: x}`
  const { forge, project, at, as } = await builtProject(file)
  const { db } = forge.app
  const runner = await runnerOf(forge, project)
  for (const { id } of (await as.get(`${at}/pipelines`)).body) await as.post(`${at}/pipelines/${id}/cancel`)
  const run = async () => {
    const { body: pipeline } = await as.post(`${at}/pipeline`, { ref: 'topic' })
    const jobs = await statusesOf(db, pipeline.id)
    const { body: job } = await forge.anonymous.post('/jobs/request', { token: runner.token })
    await as.post(`${at}/pipelines/${pipeline.id}/cancel`)
    return { jobs, frozen: job.variables.find(({ key }: { key: string }) => key === 'CI_DEPLOY_FREEZE')?.value }
  }

  expect(await run()).toEqual({ jobs: ['out pending', 'test pending'], frozen: undefined })
  // From each new year to the next.
  await as.post(`${at}/freeze_periods`, { freeze_start: '0 0 1 1 *', freeze_end: '0 0 1 1 *' })
  expect(await run()).toEqual({ jobs: ['test pending'], frozen: 'true' })
})
