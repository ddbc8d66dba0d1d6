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
    ['authorized_keys_enabled', 'maybe'],
    ['enabled_git_access_protocol', 'ftp'],
    ['enabled_git_access_protocol', 'SSH'],
    ['enabled_git_access_protocol', ['ssh']],
    ['rsa_key_restriction', 1],
    ['rsa_key_restriction', 256],
    ['rsa_key_restriction', -2],
    ['rsa_key_restriction', '2048 bits'],
    ['dsa_key_restriction', 4096],
    ['ecdsa_key_restriction', 255],
    ['ed25519_key_restriction', 512],
    ['ed25519_key_restriction', [256]],
    ['ed25519_key_restriction', 1e300],
  ] as const) {
    const { status, body } = await forge.as(forge.root).put(path, { [name]: value, housekeeping_full_repack_period: 7 })
    expect([name, value, status, body]).toEqual([name, value, 400, { error: expect.stringMatching(new RegExp(`^${name} `)) }])
  }
  expect((await forge.as(forge.root).get(path)).body).toEqual(defaults)
})

test('the only protocol of git is set by its name, and both are allowed again by null, nil or nothing', async () => {
  const forge = await testForge()
  const put = async (value: unknown) => {
    const { status, body } = await forge.as(forge.root).put(path, { enabled_git_access_protocol: value })
    return [status, body.enabled_git_access_protocol]
  }
  for (const both of [null, 'nil', '']) {
    for (const only of ['ssh', 'http']) expect(await put(only)).toEqual([200, only])
    expect([both, ...(await put(both))]).toEqual([both, 200, null])
  }
  expect((await forge.as(forge.root).put(`${path}?enabled_git_access_protocol=ssh`)).body.enabled_git_access_protocol).toBe('ssh')
  expect((await forge.as(forge.root).put(path, { rsa_key_restriction: 0 })).body.enabled_git_access_protocol).toBe('ssh')
})

test('each family of keys takes the sizes it can have, 0 for any and -1 for none', async () => {
  const forge = await testForge()
  const sizes = { rsa: [1024, 2048, 3072, 4096], dsa: [1024, 2048, 3072], ecdsa: [256, 384, 521], ed25519: [256] }
  for (const [family, own] of Object.entries(sizes)) {
    for (const size of [-1, ...own, 0]) {
      const name = `${family}_key_restriction`
      const { status, body } = await forge.as(forge.root).put(path, { [name]: String(size) })
      expect([name, size, status, body]).toEqual([name, size, 200, { ...defaults, [name]: size }])
    }
  }
})

test('the file of authorized keys is turned off and on', async () => {
  const forge = await testForge()
  for (const authorized_keys_enabled of [false, true]) {
    const { status, body } = await forge.as(forge.root).put(path, { authorized_keys_enabled })
    expect([status, body]).toEqual([200, { ...defaults, authorized_keys_enabled }])
  }
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
