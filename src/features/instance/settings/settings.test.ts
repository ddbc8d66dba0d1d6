/** The settings of the instance. Each test leaves them as it found them. */

import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { testForge } from '../../../../test/support/forge.ts'
import { otherNames, repeated } from './aliases.ts'
import { wordsOf } from './settings.schema.ts'
import { defaults } from './settings.service.ts'
import { settingsTable } from './settings.table.ts'

const path = '/application/settings'
/** The settings of a new instance, as the API shows them. */
const untouched = {
  ...defaults,
  id: 1,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  ...repeated(defaults),
}
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
  expect([status, body]).toEqual([200, untouched])
})

test('sent settings change, others stay, in this and every later answer', async () => {
  const forge = await testForge()
  const client = forge.as(forge.root)
  const put = async (body: object) => {
    const answer = await client.put(path, body)
    expect((await client.get(path)).body).toEqual(answer.body)
    return [answer.status, answer.body]
  }
  expect(await put({ default_branch_protection: 1 })).toEqual([200, { ...untouched, default_branch_protection: 1 }])
  expect(await put({ housekeeping_enabled: false })).toEqual([
    200,
    { ...untouched, default_branch_protection: 1, housekeeping_enabled: false },
  ])
  expect(await put({ ...counts, housekeeping_enabled: true })).toEqual([
    200,
    { ...untouched, default_branch_protection: 1, housekeeping_enabled: true, ...counts },
  ])
  expect(await put({ housekeeping_gc_period: null })).toEqual([
    200,
    { ...untouched, default_branch_protection: 1, housekeeping_enabled: true, ...counts, housekeeping_gc_period: null },
  ])
})

test('numbers and switches may come as the text of a form or a query', async () => {
  const forge = await testForge()
  const { status, body } = await forge.as(forge.root).put(`${path}?default_branch_protection=0&housekeeping_enabled=false`)
  expect([status, body]).toEqual([200, { ...untouched, default_branch_protection: 0, housekeeping_enabled: false }])
})

test('settings that were read can be written back', async () => {
  const forge = await testForge()
  const { body } = await forge.as(forge.root).get(path)
  const written = await forge.as(forge.root).put(path, body)
  expect([written.status, written.body]).toEqual([200, { ...body, updated_at: expect.any(String) }])
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
  expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
})

test('a shorter period than that of smaller housekeeping is rejected, also against stored values', async () => {
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
  expect((await forge.as(forge.root).get(path)).body).toEqual({ ...untouched, ...counts })
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
    ['terms', 'x'.repeat(128 * 1024 + 1)],
    ['home_page_url', `https://example.com/${'x'.repeat(236)}`],
  ] as const) {
    const { status, body } = await forge.as(forge.root).put(path, { [name]: value, housekeeping_full_repack_period: 7 })
    expect([name, value, status, body]).toEqual([name, value, 400, { error: expect.stringMatching(new RegExp(`^${name} `)) }])
  }
  expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
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
      expect([name, size, status, body]).toEqual([name, size, 200, { ...untouched, [name]: size }])
    }
  }
})

test('the file of authorized keys is turned off and on', async () => {
  const forge = await testForge()
  for (const authorized_keys_enabled of [false, true]) {
    const { status, body } = await forge.as(forge.root).put(path, { authorized_keys_enabled })
    expect([status, body]).toEqual([200, { ...untouched, authorized_keys_enabled }])
  }
})

test('unknown settings are ignored, and alone they are no change', async () => {
  const forge = await testForge()
  const sent = { max_wishes: 3, nonsense: [{}], __proto__: { housekeeping_enabled: false }, constructor: 'x', id: 2, created_at: 'then' }
  for (const nothing of [sent, {}]) {
    const { status, body } = await forge.as(forge.root).put(path, nothing)
    const refusal = /^admin_notification_email, .*, performance_bar_enabled are missing, at least one parameter must be provided$/
    expect([status, body]).toEqual([400, { error: expect.stringMatching(refusal) }])
  }
  expect(await forge.app.db.selectFrom('settings').selectAll().execute()).toEqual([])
  const { status, body } = await forge.as(forge.root).put(path, { ...sent, max_pages_size: 7 })
  expect([status, body]).toEqual([200, { ...untouched, max_pages_size: 7 }])
})

test('others can neither read nor change them', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const refused = [await forge.as(user).get(path), await forge.as(user).put(path, { default_branch_protection: 0 })]
  for (const { status, body } of refused) expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
  expect((await forge.anonymous.get(path)).status).toBe(401)
  expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
})

/** A value other than the default for every kind there is. */
function otherValue(name: keyof typeof settingsTable): unknown {
  const { schema, fallback } = settingsTable[name]
  const {
    type,
    enum: values,
    items,
    minimum = 0,
  } = schema as { type: string | string[]; enum?: unknown[]; items?: { enum?: string[] }; minimum?: number }
  const kind = [type].flat()[0]
  if (name === 'repository_storages') return fallback
  if (/_url$/.test(name)) return 'https://example.com/x'
  if (name === 'after_sign_out_path') return '/help'
  if (name === 'admin_notification_email') return 'abuse@example.com'
  if (name === 'auto_devops_domain') return 'apps.example.com'
  if (name === 'default_artifacts_expire_in') return '2h 20min'
  if (name === 'queue_throttling_factor') return 0.5
  if (/^storage_timeout_/.test(name)) return 30
  if (/^housekeeping_.*_period$/.test(name)) return 77
  if (values) return values.find((value) => value !== fallback && value !== null)
  if (items) return items.enum ? [items.enum[1]] : ['one', 'two']
  if (kind === 'boolean') return !fallback
  if (kind === 'string') return 'something else'
  return Math.max(minimum, 7)
}

test('every setting is stored and given back, and what was read can be written back', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const names = Object.keys(settingsTable) as Array<keyof typeof settingsTable>
  const { performance_bar_allowed_group_id: _, ...sent } = Object.fromEntries(names.map((name) => [name, otherValue(name)]))
  const { status, body } = await forge.as(forge.root).put(path, { ...sent, performance_bar_allowed_group_path: group.full_path })
  expect([status, body]).toEqual([
    200,
    {
      ...untouched,
      ...sent,
      performance_bar_allowed_group_id: group.id,
      ...repeated({ ...defaults, ...sent }),
    },
  ])
  // The administrator is held to the terms, too, as soon as they are enforced.
  expect((await forge.as(forge.root).get(path)).status).toBe(403)
  expect((await forge.as(forge.root).post('/user/terms')).status).toBe(201)
  const again = await forge.as(forge.root).put(path, body)
  expect([again.status, again.body]).toEqual([200, { ...body, updated_at: expect.any(String) }])
})

test('settings required by a switch must be sent with it, and can’t be removed while it is on', async () => {
  const forge = await testForge()
  const put = async (sent: object) => {
    const answer = await forge.as(forge.root).put(path, sent)
    return [answer.status, answer.body.error ?? answer.body.message]
  }
  for (const [flag, needed, value] of [
    ['spamcheck_enabled', ['spamcheck_api_key'], 'key'],
    ['clientside_errortracker_enabled', ['clientside_errortracker_dsn'], 'dsn'],
    ['errortracker_enabled', ['errortracker_dsn'], 'dsn'],
    ['captcha_enabled', ['captcha_site_key', 'captcha_private_key'], 'key'],
    ['editor_integration_enabled', ['editor_integration_url'], 'url'],
    ['diagram_integration_enabled', ['diagram_integration_url'], 'url'],
  ] as const) {
    const blank = Object.fromEntries(needed.map((name) => [name, '']))
    const given = Object.fromEntries(needed.map((name) => [name, value]))
    const refusal = [400, Object.fromEntries(needed.map((name) => [name, ["can't be blank"]]))]
    expect(await put({ [flag]: true })).toEqual([400, needed.map((name) => `${name} is missing`).join(', ')])
    expect(await put({ [flag]: true, ...blank })).toEqual(refusal)
    expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
    expect((await put({ [flag]: true, ...given }))[0]).toBe(200)
    expect(await put(blank)).toEqual(refusal)
    expect(await put({ [flag]: true })).toEqual([400, needed.map((name) => `${name} is missing`).join(', ')])
    expect((await put({ [flag]: false, ...blank }))[0]).toBe(200)
    await forge.app.db.deleteFrom('settings').execute()
  }
  expect(await put({ domain_blacklist_enabled: true })).toEqual([400, 'domain_blacklist is missing'])
  expect(await put({ domain_blacklist_enabled: true, domain_blacklist: [] })).toEqual([
    400,
    { domain_blacklist: ['Domain blacklist cannot be empty if Blacklist is enabled.'] },
  ])
  expect(await put({ require_two_factor_authentication: true })).toEqual([400, 'two_factor_grace_period is missing'])
  expect(await put({ queue_throttling_enabled: true, queue_throttling_factor: 0.5 })).toEqual([400, 'queue_throttling_queues is missing'])
  expect((await put({ metrics_enabled: true, metrics_host: 'h', metrics_port: 1 }))[1]).toBe(
    'metrics_method_call_threshold is missing, metrics_packet_size is missing, metrics_pool_size is missing, ' +
      'metrics_sample_interval is missing, metrics_timeout is missing',
  )
  expect(await put({ enforce_terms: true })).toEqual([400, { terms: ['You need to set terms to be enforced'] }])
  expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
})

test('clients that know a setting by another name send and read it under that; its own name counts where both are sent', async () => {
  const forge = await testForge()
  for (const [other, name] of Object.entries(otherNames)) {
    const value = name === 'storage_timeout_fast' ? 5 : otherValue(name)
    const needs = Object.fromEntries(
      settingsTable[name].requires.map((needed) => [needed, otherValue(needed as keyof typeof settingsTable)]),
    )
    const { status, body } = await forge.as(forge.root).put(path, { ...needs, [other]: value })
    expect([other, status, body[name], body[other]]).toEqual([other, 200, value, /_raw$/.test(other) ? 'one\ntwo' : value])
    await forge.app.db.deleteFrom('settings').execute()
  }
  const both = { signin_enabled: false, password_authentication_enabled_for_web: true }
  expect((await forge.as(forge.root).put(path, both)).body.password_authentication_enabled_for_web).toBe(true)
  const refused = await forge.as(forge.root).put(path, { koding_enabled: true })
  expect([refused.status, refused.body]).toEqual([400, { error: 'editor_integration_url is missing' }])
})

test('lists of domains may be text separated by commas, semicolons or lines, and are emptied by nothing', async () => {
  const forge = await testForge()
  const put = async (body: unknown) => (await forge.as(forge.root).put(path, body)).body.domain_whitelist
  const domains = ['one.example', '*.two.example', 'three.example']
  for (const sent of [domains, 'one.example, *.two.example\r\nthree.example', ['one.example;*.two.example', ' three.example ']]) {
    expect(await put({ domain_whitelist: sent })).toEqual(domains)
    expect(await put({ domain_whitelist: null })).toBeNull()
  }
  expect(await put({ domain_whitelist_raw: 'a.example' })).toEqual(['a.example'])
  expect((await forge.as(forge.root).put(`${path}?domain_whitelist=`)).body.domain_whitelist).toBeNull()
  expect((await forge.as(forge.root).put(path, { domain_blacklist: 'a.example' })).body.domain_blacklist).toEqual(['a.example'])
  expect((await forge.as(forge.root).put(`${path}?domain_blacklist=`)).body.domain_blacklist).toEqual([])
})

test('an invalid value of the right type is rejected with an error, and changes nothing', async () => {
  const forge = await testForge()
  for (const [name, value, fieldError] of [
    ['home_page_url', 'javascript:alert(1)', 'must be a valid URL'],
    ['home_page_url', '/help', 'must be a valid URL'],
    ['home_page_url', 'https://example.com/a b', 'must be a valid URL'],
    ['home_page_url', 'https://example.com/\r\nSet-Cookie: x', 'must be a valid URL'],
    ['home_page_url', ' https://example.com', 'must be a valid URL'],
    ['help_page_support_url', 'http://', 'must be a valid URL'],
    ['after_sign_out_path', '//evil.example', 'must be a valid URL'],
    ['after_sign_out_path', '/\\evil.example', 'must be a valid URL'],
    ['after_sign_out_path', '/a\r\nSet-Cookie: x', 'must be a valid URL'],
    ['after_sign_out_path', 'data:text/html,x', 'must be a valid URL'],
    ['admin_notification_email', 'nobody', 'is invalid'],
    ['user_default_internal_regex', '(', 'is not a valid regular expression'],
    ['default_artifacts_expire_in', 'soon', 'is not a correct duration'],
    ['default_artifacts_expire_in', '3 days 4', 'is not a correct duration'],
    ['repository_storages', [], "can't be blank"],
    ['repository_storages', ['default', 'other', '__proto__'], "can't include: other, __proto__"],
    ['storage_timeout_fast', 56, 'must be less than or equal to 55'],
    ['storage_timeout_medium', 9, 'must be greater than or equal to 10'],
  ] as const) {
    const { status, body } = await forge.as(forge.root).put(path, { [name]: value, max_pages_size: 1 })
    expect([name, value, status, body.message?.[name]]).toEqual([name, value, 400, [fieldError]])
  }
  expect((await forge.as(forge.root).get(path)).body).toEqual(untouched)
})

test('a domain is validated while in use and when it becomes used', async () => {
  const forge = await testForge()
  const put = async (body: object) => {
    const answer = await forge.as(forge.root).put(path, body)
    return [answer.status, answer.body.message ?? answer.body.auto_devops_domain]
  }
  const fieldError = { auto_devops_domain: ['is not a fully qualified domain name'] }
  expect(await put({ auto_devops_domain: 'not a domain' })).toEqual([200, 'not a domain'])
  expect(await put({ auto_devops_enabled: true })).toEqual([400, fieldError])
  expect(await put({ auto_devops_enabled: true, auto_devops_domain: 'apps.example.com' })).toEqual([200, 'apps.example.com'])
  expect(await put({ auto_devops_domain: 'not a domain' })).toEqual([400, fieldError])
  expect(await put({ auto_devops_domain: '' })).toEqual([200, ''])
})

test('at least one type of key must stay allowed', async () => {
  const forge = await testForge()
  const none = { rsa_key_restriction: -1, dsa_key_restriction: -1, ecdsa_key_restriction: -1, ed25519_key_restriction: -1 }
  const put = async (body: object) => {
    const answer = await forge.as(forge.root).put(path, body)
    return [answer.status, answer.body.message]
  }
  const refusal = [400, { allowed_key_types: ["can't be blank"] }]
  expect(await put(none)).toEqual(refusal)
  expect((await put({ ...none, ed25519_key_restriction: 256 }))[0]).toBe(200)
  expect(await put({ ed25519_key_restriction: -1 })).toEqual(refusal)
  expect((await forge.as(forge.root).get(path)).body.ed25519_key_restriction).toBe(256)
})

test('the artifact expiry may be written in many ways', async () => {
  const forge = await testForge()
  for (const value of [
    '0',
    '30 days',
    '2 days',
    '1h30m',
    '3 mins 4 sec',
    '2h 20min',
    '6 mos 1 day',
    '47 yrs 6 mos and 4d',
    '3 weeks, 2 days',
  ]) {
    const { status, body } = await forge.as(forge.root).put(path, { default_artifacts_expire_in: value })
    expect([value, status, body.default_artifacts_expire_in]).toEqual([value, 200, value])
  }
})

test('the group of the performance bar is named by its path, under three names, and taken away again', async () => {
  const forge = await testForge()
  const group = await forge.group()
  const put = async (body: object) => (await forge.as(forge.root).put(path, body)).body.performance_bar_allowed_group_id
  for (const none of [
    { performance_bar_allowed_group_path: null },
    { performance_bar_allowed_group_path: '' },
    { performance_bar_enabled: false },
  ]) {
    expect(await put({ performance_bar_allowed_group_path: group.full_path.toUpperCase() })).toBe(group.id)
    expect(await put(none)).toBeNull()
  }
  expect(await put({ performance_bar_allowed_group_id: group.full_path })).toBe(group.id)
  expect(await put({ performance_bar_allowed_group_path: 'no/such/group' })).toBeNull()
  expect(await put({ performance_bar_enabled: false, performance_bar_allowed_group_id: group.full_path })).toBeNull()
})

test('concurrent changes of different settings all take effect', async () => {
  const forge = await testForge()
  const names = ['max_pages_size', 'max_artifacts_size', 'terminal_max_session_time', 'default_projects_limit', 'metrics_timeout']
  const changes = names.map((name, index) => ({ [name]: index + 20 }))
  const answers = await Promise.all(changes.map((change) => forge.as(forge.root).put(path, change)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect((await forge.as(forge.root).get(path)).body).toMatchObject(Object.assign({}, ...changes))
})

test('ten concurrent changes never leave settings that contradict each other', async () => {
  const forge = await testForge()
  const put = (change: object) => forge.as(forge.root).put(path, change)
  await put({ storage_timeout_default: 100, storage_timeout_medium: 50, storage_timeout_fast: 1 })
  const changes = Array.from({ length: 10 }, (_, index) => (index % 2 ? { storage_timeout_medium: 10 } : { storage_timeout_fast: 40 }))
  const statuses = (await Promise.all(changes.map(put))).map(({ status }) => status)
  const { storage_timeout_fast: fast, storage_timeout_medium: medium } = (await forge.as(forge.root).get(path)).body
  expect([fast <= medium, statuses.includes(200), statuses.includes(400)]).toEqual([true, true, true])
})

test('the documentation has every setting, as the table has it', () => {
  const lines = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8').split('\n')
  const documented = lines.filter((line) => line.startsWith('| `'))
  const expected = Object.entries(settingsTable).map(
    ([name, { schema, fallback, effective, meaning, requires }]) =>
      `| \`${name}\` | ${wordsOf(schema)} | \`${JSON.stringify(fallback)}\` | ${effective ? 'effect' : 'stored only'} | ${meaning}${
        requires.length > 0 ? `. Requires ${requires.map((needed) => `\`${needed}\``).join(', ')}` : ''
      } |`,
  )
  expect(documented).toEqual(expected)
})

test('the multiplier of polling is a number, and for clients in Go the text that they can read', async () => {
  const forge = await testForge()
  const asking = (agent: string) => forge.as(forge.root, { headers: { 'user-agent': agent } })
  for (const agent of ['Go-http-client/1.1', 'go-gitlab', 'Terraform/1.9 (+https://www.terraform.io) terraform-provider-gitlab/17.0']) {
    const read = await asking(agent).get('/application/settings')
    const written = await asking(agent).put('/application/settings', { polling_interval_multiplier: 1.5 })
    expect([agent, read.body.polling_interval_multiplier, written.body.polling_interval_multiplier]).toEqual([agent, '1.0', '1.5'])
    await asking(agent).put('/application/settings', { polling_interval_multiplier: '1.0' })
  }
  for (const agent of ['python-requests/2.32', 'Mozilla/5.0 Go-http-client']) {
    const { body } = await asking(agent).get('/application/settings')
    expect([agent, body.polling_interval_multiplier]).toEqual([agent, 1])
  }
})
