import { expect, test } from 'vitest'
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
