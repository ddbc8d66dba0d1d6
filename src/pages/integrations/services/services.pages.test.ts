/** Pages of integrations: set up, changed, tested, read about and removed by maintainers; templates by administrators. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { noticeAt } from '../../../../test/support/notices.ts'
import { writeSettings } from '../../../features/instance/settings/settings.service.ts'
import { kinds } from '../../../features/integrations/kinds/kinds.ts'

const password = 'correct horse battery'
const hostile = `<b>"'&\u202e`
const templates = '/admin/integrations'
let forge: Forge
let owner: TestUser
let developer: TestUser
let project: TestProject
let base: string
let receiver: Server
let url: string
let status = 200
const received: string[] = []

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ password })
  developer = await forge.user({ password })
  project = await forge.project({ owner, developer })
  base = `/${project.full_path}/settings/integrations`
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  receiver = createServer((request, response) => {
    received.push(request.url ?? '')
    request.resume().on('end', () => response.writeHead(status).end('<i>thanks</i>'))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

afterAll(() => receiver.close())

async function signedIn(user: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password: user.password ?? '' })
  return me
}

/** As the API tells them. */
const stored = async (slug: string) => (await forge.as(owner).get(`/projects/${project.id}/services/${slug}`)).body

async function deliver(): Promise<void> {
  await forge.app.db.updateTable('hooks').set({ rests_until: null }).execute()
  await forge.app.db.updateTable('hook_deliveries').set({ due_at: '2000-01-01T00:00:00.000Z' }).execute()
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
}

test('a chat is set up, changed, tested, read about, sent to again and removed', async () => {
  const me = await signedIn(owner)
  const own = `${base}/slack`
  const secret = `${url}/services/hush`
  const form = { active: 'true', webhook: secret, username: hostile, push_events: 'true', push_channel: 'builds' }
  const made = await me.submit(own, own, form)
  expect([made.status, made.headers.location]).toEqual([303, own])
  expect(await noticeAt(me, own)).toBe('Integration saved')
  expect(await stored('slack')).toMatchObject({ active: true, push_events: true, issues_events: false })
  const shown = await me.get(own)
  expect([readDocument(shown.text).faults, shown.text.includes('<b>"'), shown.text.includes('hush')]).toEqual([[], false, false])

  // Without the secret it is kept.
  expect((await me.submit(own, own, { ...form, webhook: '', push_channel: 'other' })).status).toBe(303)
  expect((await stored('slack')).properties).toMatchObject({ push_channel: 'other' })
  await me.submit(own, `${own}/test`)
  expect(await noticeAt(me, own)).toBe('The test went well: The host answered with 200.')
  expect(received).toEqual(['/services/hush'])
  status = 500
  await me.submit(own, `${own}/test`)
  expect(await noticeAt(me, own)).toBe('The test failed: The host answered with 500.')

  status = 422
  await forge.as(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'topic', ref: 'main' })
  for (let attempt = 0; attempt < 3; attempt += 1) await deliver()
  const log = await me.get(own)
  expect([readDocument(log.text).faults, log.text]).toEqual([[], expect.stringContaining('answered 422')])
  const [event = ''] = new RegExp(`${own}/events/\\d+`).exec(log.text) ?? []
  const delivery = await me.get(event)
  expect([readDocument(delivery.text).faults, delivery.text.includes('hush')]).toEqual([[], false])
  for (const words of ['Status 422', '&lt;i&gt;thanks', 'The integration and its log']) expect(delivery.text).toContain(words)
  status = 200
  expect((await me.submit(event, `${event}/resend`)).status).toBe(303)
  await deliver()
  expect((await me.get(own)).text).toContain('answered 200')

  expect((await me.submit(own, `${own}/remove`)).status).toBe(303)
  expect([(await me.get(own)).text.includes('Send a test'), (await me.get(event)).status]).toEqual([false, 404])
  expect(await stored('slack')).toMatchObject({ active: false, properties: { push_channel: null } })
})

test('a URL is shown without its password and kept with it, and with another host the secrets are asked for again', async () => {
  const me = await signedIn(owner)
  const own = `${base}/teamcity`
  const form = { active: 'true', push_events: 'true', build_type: 'b', username: 'u' }
  const withPassword = url.replace('//', '//me:pass@')
  expect((await me.submit(own, own, { ...form, teamcity_url: withPassword, password: 'hush' })).status).toBe(303)
  const shown = await me.get(own)
  expect([shown.text.includes('pass@'), shown.text.includes('hush')]).toEqual([false, false])
  const [, value = ''] = /name="teamcity_url"[^>]* value="([^"]*)"/.exec(shown.text) ?? []
  expect((await me.submit(own, own, { ...form, teamcity_url: value, password: '', build_type: 'c' })).status).toBe(303)
  received.length = 0
  await me.submit(own, `${own}/test`)
  expect([await noticeAt(me, own), received.length]).toEqual(['The test went well: The host answered with 200.', 1])
  const elsewhere = await me.submit(own, own, { ...form, teamcity_url: 'https://elsewhere.example.com', password: '' })
  expect([elsewhere.status, elsewhere.text.includes('pass@'), readDocument(elsewhere.text).faults]).toEqual([422, false, []])
  expect((await stored('teamcity')).properties.teamcity_url).not.toContain('elsewhere')
})

test('what only answers has no test', async () => {
  const me = await signedIn(owner)
  const own = `${base}/mattermost-slash-commands`
  expect((await me.submit(own, own, { active: 'true', token: 'hush' })).status).toBe(303)
  expect((await me.get(own)).text).not.toContain('Send a test')
})

test('what is missing or wrong stands by its field, and what was typed is kept', async () => {
  const me = await signedIn(owner)
  const own = `${base}/redmine`
  const refused = await me.submit(own, own, { active: 'true', project_url: 'javascript:alert(1)', title: hostile })
  expect([refused.status, readDocument(refused.text).faults]).toEqual([422, []])
  expect(refused.text).toContain('value="&lt;b&gt;&quot;&#39;&amp;')
  expect((await stored('redmine')).active).toBe(false)
  expect((await me.get(own)).text).not.toContain('Send a test')
  expect((await me.get(`${base}/nothing`)).status).toBe(404)
  expect((await me.get(`${base}/%00`)).status).toBe(404)
})

test('every kind has a form without faults, in projects and as a template, and those for clusters only while they are active', async () => {
  for (const [user, at] of [
    [owner, base],
    [forge.root, templates],
  ] as const) {
    const me = await signedIn(user)
    const list = await me.get(at)
    expect(readDocument(list.text).faults).toEqual([])
    for (const { slug } of kinds) {
      const isOffered = slug !== 'kubernetes'
      expect(list.text.includes(`"${at}/${slug}"`), slug).toBe(isOffered)
      const page = await me.get(`${at}/${slug}`)
      expect([page.status, page.status === 200 ? readDocument(page.text).faults : []], slug).toEqual([isOffered ? 200 : 404, []])
    }
  }
})

test('a template sets up the projects that have none of its kind', async () => {
  const admin = await signedIn(forge.root)
  const form = { active: 'true', push_events: 'true', webhook: `${url}/all` }
  expect((await admin.submit(`${templates}/mattermost`, `${templates}/mattermost`, form)).status).toBe(303)
  expect(await noticeAt(admin, `${templates}/mattermost`)).toBe('Integration saved')
  await forge.drain()
  expect(await stored('mattermost')).toMatchObject({ active: true, push_events: true })
  const later = await forge.project({ owner })
  expect((await forge.as(owner).get(`/projects/${later.id}/services/mattermost`)).body.active).toBe(true)
})

test('they are for maintainers, and templates for administrators', async () => {
  const me = await signedIn(developer)
  for (const path of [base, `${base}/slack`]) expect((await me.get(path)).status).toBe(403)
  expect((await me.get(templates)).status).toBe(404)
  expect((await (await signedIn(owner)).get(templates)).status).toBe(404)
})

test('the list costs as many statements with one integration as with many', async () => {
  const me = await signedIn(owner)
  const few = await forge.cost(() => me.get(base))
  for (const slug of ['bugzilla', 'custom-issue-tracker', 'external-wiki']) {
    const urls = { project_url: url, issues_url: `${url}/:id`, new_issue_url: url, external_wiki_url: url }
    await forge.as(owner).put(`/projects/${project.id}/services/${slug}`, urls)
  }
  expect(await forge.cost(() => me.get(base))).toEqual(few)
})
