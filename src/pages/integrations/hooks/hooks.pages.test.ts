/** Pages of webhooks: added, changed, tested and removed by those who manage the place; the log shows what was sent and what came back. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&\u202e`
let forge: Forge
let owner: TestUser
let developer: TestUser
let project: TestProject
let receiver: Server
let url: string
let answer = 200
let bases: Record<'project' | 'group' | 'instance', string>

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  developer = await forge.user({ password })
  const group = await forge.group({ owner })
  project = await forge.project({ group, owner, developer })
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer).end('<i>thanks</i>'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  bases = { project: `/${project.full_path}/hooks`, group: `/groups/${group.full_path}/-/hooks`, instance: '/admin/hooks' }
})

afterAll(() => receiver.close())

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '' })
  return me
}

const managers = { project: () => owner, group: () => owner, instance: () => forge.root }
const triggers = { project: 'push_events', group: 'push_events', instance: 'project_create' }
const ticked = async () => (await forge.app.db.selectFrom('hooks').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null

async function deliver(): Promise<void> {
  await forge.app.db.updateTable('hooks').set({ rests_until: null }).execute()
  await forge.app.db.updateTable('hook_deliveries').set({ due_at: '2000-01-01T00:00:00.000Z' }).execute()
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
}

describe.each(['project', 'group', 'instance'] as const)('a webhook of a %s', (kind) => {
  test('is added, changed, tested, read about, sent again and removed', async () => {
    const [me, base] = [await signedIn(managers[kind]()), bases[kind]]
    expect((await me.get(base)).text).toContain('No webhooks yet')
    const made = await me.submit(base, base, { url: url.replace('//', '//me:pass@'), name: hostile, token: 'hush', push_events: 'true' })
    expect([made.status, made.text]).toEqual([303, expect.anything()])
    const own = `${base}/${(await ticked())?.id}`
    const listed = await me.get(base)
    expect([readDocument(listed.text).faults, listed.text.includes('<b>"'), listed.text.includes('hush')]).toEqual([[], false, false])
    const before = await ticked()
    const form = { url: url.replace('//', '//me:*****@'), name: 'Ours', push_events: 'false', tag_push_events: 'true' }
    expect((await me.submit(`${own}/edit`, own, form)).status).toBe(303)
    // Its password and its token are kept.
    expect(await ticked()).toMatchObject({
      url: before?.url,
      token: before?.token,
      push_events: false,
      tag_push_events: true,
      name: 'Ours',
    })
    answer = 422
    expect((await me.submit(`${own}/edit`, `${own}/test`, { trigger: triggers[kind] })).status).toBe(303)
    for (let attempt = 0; attempt < 3; attempt += 1) await deliver()
    const log = await me.get(`${own}/edit`)
    expect([readDocument(log.text).faults, log.text]).toEqual([[], expect.stringContaining('answered 422')])
    const [event] = new RegExp(`${own}/events/\\d+`).exec(log.text) ?? []
    const shown = await me.get(event ?? '')
    expect([readDocument(shown.text).faults, shown.text.includes('hush')]).toEqual([[], false])
    for (const words of ['Status 422', '&lt;i&gt;thanks', 'x-gitlab-token: *****', 'idempotency-key']) expect(shown.text).toContain(words)
    answer = 200
    expect((await me.submit(`${own}/edit`, `${own}/resend_failed`)).status).toBe(303)
    await deliver()
    expect((await me.get(`${own}/edit`)).text).toContain('answered 200')
    expect((await me.submit(event ?? '', `${event}/resend`)).status).toBe(303)
    expect((await me.submit(`${own}/edit`, `${own}/remove`)).status).toBe(303)
    expect((await me.get(`${own}/edit`)).status).toBe(404)
  })

  test('has headers and URL variables: added, replaced, refused and removed, and their values are never shown', async () => {
    const [me, base] = [await signedIn(managers[kind]()), bases[kind]]
    await me.submit(base, base, { url: `${url}/{secret}` })
    const own = `${base}/${(await ticked())?.id}`
    const add = (which: string, key: string, value: string) => me.submit(`${own}/edit`, `${own}/${which}`, { key, value })
    expect((await add('custom_headers', ' X-Key ', 'hush-1')).status).toBe(303)
    expect((await add('custom_headers', 'x-key', 'hush-2')).status).toBe(303)
    expect((await add('url_variables', 'secret', 'hush-3')).status).toBe(303)
    const shown = await me.get(`${own}/edit`)
    expect([readDocument(shown.text).faults, shown.text.includes('hush'), shown.text.split('<code>x-key</code>').length]).toEqual([
      [],
      false,
      2,
    ])
    for (const [which, key, value] of [
      ['custom_headers', 'Host', 'x'],
      ['custom_headers', hostile, 'hush'],
      ['custom_headers', 'X-A', 'hush\r\nX-B: c'],
      ['url_variables', 'a b', 'hush'],
      ['url_variables', 'a', ''],
    ] as const) {
      const refused = await add(which, key, value)
      expect([refused.status, readDocument(refused.text).faults, refused.text.includes('hush')]).toEqual([422, [], false])
    }
    expect((await me.submit(`${own}/edit`, `${own}/custom_headers/remove`)).status).toBe(303)
    expect((await me.get(`${own}/edit`)).text).not.toContain('x-key')
    expect((await me.post(`${own}/custom_headers/remove`, { key: 'x-key' })).status).not.toBe(303)
  })

  test('is for those who manage it, and not found under another place', async () => {
    const me = await signedIn(developer)
    expect((await me.get(bases[kind])).status).toBe(kind === 'instance' ? 404 : 403)
    const made = await signedIn(managers[kind]())
    await made.submit(bases[kind], bases[kind], { url })
    const id = (await ticked())?.id
    for (const other of ['project', 'group', 'instance'] as const) {
      const visitor = await signedIn(managers[other]())
      expect((await visitor.get(`${bases[other]}/${id}/edit`)).status).toBe(other === kind ? 200 : 404)
    }
  })
})

test('what is wrong stands by its field, and what a test is missing above the page', async () => {
  const me = await signedIn(owner)
  const made = await me.submit(bases.project, bases.project, { url: 'ftp://x', name: 'kept' })
  expect([made.status, readDocument(made.text).faults]).toEqual([422, []])
  for (const words of ['is not allowed', 'value="kept"']) expect(made.text).toContain(words)
  await me.submit(bases.project, bases.project, { url })
  const own = `${bases.project}/${(await ticked())?.id}`
  const tested = await me.submit(`${own}/edit`, `${own}/test`, { trigger: 'releases_events' })
  expect([tested.status, tested.text]).toEqual([422, expect.stringContaining('Ensure the project has releases.')])
})

test('a long log costs as many statements as a short one', async () => {
  const me = await signedIn(owner)
  const own = `${bases.project}/${(await ticked())?.id}`
  await me.submit(`${own}/edit`, `${own}/test`, { trigger: 'push_events' })
  const few = await forge.cost(() => me.get(`${own}/edit`))
  for (let index = 0; index < 5; index += 1) await me.submit(`${own}/edit`, `${own}/test`, { trigger: 'push_events' })
  expect(await forge.cost(() => me.get(`${own}/edit`))).toEqual(few)
})
