/** The settings of the instance. Each test leaves them as it found them. */
import { afterEach, expect, test } from 'vitest'
import { testForge } from '../../../test/support/forge.ts'
import { defaults } from './settings.service.ts'

const path = '/application/settings'
const counts = {
  housekeeping_bitmaps_enabled: false,
  housekeeping_incremental_repack_period: 10,
  housekeeping_full_repack_period: 50,
  housekeeping_gc_period: 200,
}

afterEach(async () => {
  await (await testForge()).app.db.deleteFrom('settings').execute()
})

test('administrators read the settings, which are the defaults until one is changed', async () => {
  const forge = await testForge()
  const { status, body } = await forge.as(forge.root).get(path)
  expect([status, body]).toEqual([200, defaults])
})

test('what is sent is changed, the rest stays, and the answer and every later one show it', async () => {
  const forge = await testForge()
  const client = forge.as(forge.root)
  const put = async (body: object) => {
    const answer = await client.put(path, body)
    expect((await client.get(path)).body).toEqual(answer.body)
    return [answer.status, answer.body]
  }
  expect(await put({ default_branch_protection: 1 })).toEqual([200, { ...defaults, default_branch_protection: 1 }])
  expect(await put({ housekeeping_enabled: false })).toEqual([
    200,
    { ...defaults, default_branch_protection: 1, housekeeping_enabled: false },
  ])
  expect(await put({ ...counts, housekeeping_enabled: true })).toEqual([
    200,
    { ...defaults, default_branch_protection: 1, housekeeping_enabled: true, ...counts },
  ])
  expect(await put({ housekeeping_gc_period: null })).toEqual([
    200,
    { ...defaults, default_branch_protection: 1, housekeeping_enabled: true, ...counts, housekeeping_gc_period: null },
  ])
})

test('numbers and switches may come as the text of a form or a query', async () => {
  const forge = await testForge()
  const { status, body } = await forge.as(forge.root).put(`${path}?default_branch_protection=0&housekeeping_enabled=false`)
  expect([status, body]).toEqual([200, { ...defaults, default_branch_protection: 0, housekeeping_enabled: false }])
})

test('what was read can be written back', async () => {
  const forge = await testForge()
  const { body } = await forge.as(forge.root).get(path)
  const written = await forge.as(forge.root).put(path, body)
  expect([written.status, written.body]).toEqual([200, body])
})

test('enabling housekeeping without the settings it requires is refused, naming them', async () => {
  const forge = await testForge()
  const { housekeeping_gc_period: _, ...rest } = counts
  for (const [sent, missing] of [
    [
      { housekeeping_enabled: true },
      [
        'housekeeping_bitmaps_enabled',
        'housekeeping_full_repack_period',
        'housekeeping_gc_period',
        'housekeeping_incremental_repack_period',
      ],
    ],
    [{ housekeeping_enabled: true, ...rest }, ['housekeeping_gc_period']],
  ] as const) {
    const { status, body } = await forge.as(forge.root).put(path, sent)
    expect([status, body]).toEqual([400, { error: missing.map((name) => `${name} is missing`).join(', ') }])
  }
  expect((await forge.as(forge.root).get(path)).body).toEqual(defaults)
})

test('a period shorter than that of the lesser work is refused, against what is stored too', async () => {
  const forge = await testForge()
  const put = async (body: object) => {
    const answer = await forge.as(forge.root).put(path, body)
    return [answer.status, answer.body.message]
  }
  await put(counts)
  expect(await put({ housekeeping_full_repack_period: 9 })).toEqual([
    400,
    { housekeeping_full_repack_period: ['must be greater than or equal to 10'] },
  ])
  expect(await put({ housekeeping_gc_period: 49 })).toEqual([400, { housekeeping_gc_period: ['must be greater than or equal to 50'] }])
  expect((await forge.as(forge.root).get(path)).body).toEqual({ ...defaults, ...counts })
  expect((await put({ housekeeping_incremental_repack_period: 50 }))[0]).toBe(200)
})

test('values of the wrong type or out of range are refused and change nothing', async () => {
  const forge = await testForge()
  for (const [name, value] of [
    ['default_branch_protection', 4],
    ['default_branch_protection', -1],
    ['default_branch_protection', 'full'],
    ['default_branch_protection', [2]],
    ['default_branch_protection', 1.5],
    ['housekeeping_bitmaps_enabled', 'perhaps'],
    ['housekeeping_bitmaps_enabled', {}],
    ['housekeeping_gc_period', 0],
    ['housekeeping_gc_period', 'often'],
    ['housekeeping_gc_period', 2 ** 31],
  ] as const) {
    const { status, body } = await forge.as(forge.root).put(path, { [name]: value, housekeeping_full_repack_period: 7 })
    expect([name, value, status, body]).toEqual([name, value, 400, { error: expect.stringMatching(new RegExp(`^${name} `)) }])
  }
  expect((await forge.as(forge.root).get(path)).body).toEqual(defaults)
})

test('settings nobody knows, and those without effect so far, are ignored', async () => {
  const forge = await testForge()
  const sent = { max_pages_size: 100, nonsense: [{}], __proto__: { housekeeping_enabled: false }, constructor: 'x' }
  const { status, body } = await forge.as(forge.root).put(path, sent)
  expect([status, body]).toEqual([200, defaults])
  expect(await forge.app.db.selectFrom('settings').selectAll().execute()).toEqual([])
})

test('who is no administrator neither reads nor changes them', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const refused = [await forge.as(user).get(path), await forge.as(user).put(path, { default_branch_protection: 0 })]
  for (const { status, body } of refused) expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
  expect((await forge.anonymous.get(path)).status).toBe(401)
  expect((await forge.as(forge.root).get(path)).body).toEqual(defaults)
})
