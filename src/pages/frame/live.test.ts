/** Live changes: who hears of what, when, and until when. */

import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { browserOf } from '../../../test/support/browser.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../test/support/forge.ts'
import { onPostgresAlone } from '../../../test/support/run/tiers.ts'
import { writeSettings } from '../../features/instance/settings/settings.service.ts'
import { openWatcher, versionOf } from '../../features/instance/watching/watching.ts'

const password = 'correct horse battery'

let forge: Forge
let owner: TestUser
let project: TestProject
let url: string

beforeAll(async () => {
  forge = await openForge()
  owner = await forge.user({ password })
  project = await forge.project({ owner, visibility: 'private' })
  url = await forge.url()
})

const pushed = () =>
  forge.app.db
    .updateTable('projects')
    .set(({ eb }) => ({ push_count: eb('push_count', '+', 1) }))
    .where('id', '=', project.id)
    .execute()

async function cookiesOf(user: TestUser): Promise<string> {
  const me = browserOf(forge.server)
  await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })
  return [...me.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** A stream, with what it has sent so far. Each has a connection of its own, as in a browser that opens many pages. */
async function listen(topic: string, cookie: string, headers: Record<string, string> = {}) {
  const asking = request(`${url}/-/live?topic=${topic}`, { agent: false, headers: { cookie, ...headers } })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => asking.once('response', resolve).once('error', reject).end())
  const heard = {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    text: '',
    hasEnded: false,
    leave: () => void asking.destroy(),
  }
  answer.setEncoding('utf8').on('data', (text: string) => {
    heard.text += text
  })
  answer.once('end', () => {
    heard.hasEnded = true
  })
  return heard
}

test('a page hears of a push to the code it shows, once for each', onPostgresAlone('1 s of processor.'), async () => {
  const cookie = await cookiesOf(owner)
  const version = await versionOf(forge.app, 'code', project.id)
  const heard = await listen(`code:${project.id}&seen=${version}`, cookie)
  expect([heard.status, heard.type]).toEqual([200, 'text/event-stream'])
  await expect.poll(() => heard.text).toMatch(/^retry: \d{4}\n\n/)
  await pushed()
  await expect.poll(() => heard.text).toContain(`id: ${Number(version) + 1}\nevent: change\ndata:\n\n`)
  await pushed()
  await expect.poll(() => heard.text.match(/event: change/g)?.length).toBe(2)
  heard.leave()
})

test('what has changed while a page was away, or the server was, is said at once', async () => {
  const cookie = await cookiesOf(owner)
  const away = await listen(`code:${project.id}&seen=0`, cookie)
  const back = await listen(`code:${project.id}&seen=${await versionOf(forge.app, 'code', project.id)}`, cookie, { 'last-event-id': '0' })
  for (const heard of [away, back]) {
    await expect.poll(() => heard.text).toContain('event: change')
    heard.leave()
  }
})

test('only maintainers hear of the background work of a project', async () => {
  const reporter = await forge.user({ password })
  const own = await forge.project({ owner, reporter, visibility: 'private' })
  const heard = await listen(`work:${own.id}&seen=${await versionOf(forge.app, 'work', own.id)}`, await cookiesOf(owner))
  expect((await listen(`work:${own.id}`, await cookiesOf(reporter))).status).toBe(403)
  await forge.as(owner).post(`/projects/${own.id}/export`)
  await expect.poll(() => heard.text).toContain('event: change')
  heard.leave()
})

test('a user without access receives no event, and one who loses access is disconnected', async () => {
  const guest = await forge.user({ password })
  const own = await forge.project({ owner, reporter: guest, visibility: 'private' })
  const cookie = await cookiesOf(guest)
  for (const topic of [
    '',
    'code',
    'code:',
    'code:0',
    'code:-1',
    'code:1e9',
    `other:${own.id}`,
    'constructor:1',
    `code:${'9'.repeat(30)}`,
    'code:999999',
  ]) {
    expect([topic, (await listen(topic, cookie)).status]).toEqual([topic, 404])
  }
  expect((await listen(`code:${own.id}`, '')).status).toBe(404)
  expect((await listen(`code:${project.id}`, cookie)).status).toBe(404)
  const heard = await listen(`code:${own.id}&seen=${await versionOf(forge.app, 'code', own.id)}`, cookie)
  expect(heard.status).toBe(200)
  await forge.as(owner).delete(`/projects/${own.id}/members/${guest.id}`)
  await forge.app.db
    .updateTable('projects')
    .set(({ eb }) => ({ push_count: eb('push_count', '+', 1) }))
    .where('id', '=', own.id)
    .execute()
  await expect.poll(() => heard.hasEnded).toBe(true)
  expect(heard.text).not.toContain('change')
})

test('a page of an issue hears of what is written on it; a confidential one is watched by those who see it', async () => {
  const guest = await forge.user({ password })
  const open = await forge.project({ owner, visibility: 'public' })
  const issue = await forge.issue(open, owner)
  const secret = await forge.issue(open, owner, { confidential: true })
  const heard = await listen(`issue:${issue.id}&seen=${await versionOf(forge.app, 'issue', issue.id)}`, '')
  expect(heard.status).toBe(200)
  await forge.app.db.updateTable('issues').set({ updated_at: '2030-01-01T00:00:00.000Z' }).where('id', '=', issue.id).execute()
  await expect.poll(() => heard.text).toContain('event: change')
  heard.leave()
  for (const cookie of ['', await cookiesOf(guest)]) expect((await listen(`issue:${secret.id}`, cookie)).status).toBe(404)
  const own = await listen(`issue:${secret.id}`, await cookiesOf(owner))
  expect(own.status).toBe(200)
  own.leave()
  expect((await listen('issue:999999', '')).status).toBe(404)
})

test('a board has a new version after a change of its issues, their order or its lists, and none after one of a confidential issue', async () => {
  const place = await forge.group({ owner, visibility: 'private' })
  const own = await forge.project({ group: place, visibility: 'private' })
  const as = forge.as(owner)
  const ofProject = (await as.post(`/projects/${own.id}/boards`, { name: 'Work' })).body.id
  const ofGroup = (await as.post(`/groups/${place.id}/boards`, { name: 'All work' })).body.id
  const [first, second] = [await forge.issue(own, owner), await forge.issue(own, owner)]
  const secret = await forge.issue(own, owner, { confidential: true })
  let before: Array<string | null> = []
  const hasChanged = async () => {
    const now = await Promise.all([ofProject, ofGroup].map((id) => versionOf(forge.app, 'board', id)))
    const changed = now.map((version, index) => version !== before[index])
    before = now
    return changed
  }
  await hasChanged()
  expect(await hasChanged()).toEqual([false, false])
  await as.put(`/projects/${own.id}/issues/${secret.iid}`, { title: 'Still secret' })
  expect(await hasChanged()).toEqual([false, false])
  await as.put(`/projects/${own.id}/issues/${first.iid}`, { state_event: 'close' })
  expect(await hasChanged()).toEqual([true, true])
  await as.put(`/projects/${own.id}/issues/${second.iid}/reorder`, { move_before_id: first.id })
  expect(await hasChanged()).toEqual([true, false])
  const label = await as.post(`/projects/${own.id}/labels`, { name: 'Doing', color: '#3f7cac' })
  await as.post(`/projects/${own.id}/boards/${ofProject}/lists`, { label_id: label.body.id })
  expect(await hasChanged()).toEqual([true, false])
  expect([(await listen(`board:${ofProject}`, '')).status, (await listen(`board:${ofGroup}`, '')).status]).toEqual([404, 404])
  const heard = await listen(`board:${ofGroup}`, await cookiesOf(owner))
  expect(heard.status).toBe(200)
  heard.leave()
})

test('streams are limited by user, and given back', async () => {
  const cookie = await cookiesOf(owner)
  const streams = []
  for (let index = 0; index < 30; index += 1) streams.push(await listen(`code:${project.id}`, cookie))
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  expect((await listen(`code:${project.id}`, cookie)).status).toBe(429)
  for (const { leave } of streams) leave()
  await expect
    .poll(async () => {
      const one = await listen(`code:${project.id}`, cookie)
      one.leave()
      return one.status
    })
    .toBe(200)
})

test('however many watch, a look costs one statement for each kind, and none when nobody does', async () => {
  const watcher = openWatcher(forge.app, 3_600_000)
  const ends: Array<() => void> = []
  const { statements } = await forge.cost(async () => {
    for (let index = 0; index < 20; index += 1) ends.push(watcher.watch({ kind: 'code', id: project.id, seen: null }, () => {}))
    await new Promise((resolve) => setImmediate(resolve))
  })
  expect(statements).toBeLessThanOrEqual(1)
  for (const end of ends) end()
  watcher.close()
})

test('a user who hasn’t accepted the terms receives no event', async () => {
  const cookie = await cookiesOf(owner)
  const terms = (enforce_terms: boolean) => writeSettings(forge.app.db, { enforce_terms, terms: 'Be kind.' })
  await terms(true)
  try {
    expect((await listen(`code:${project.id}`, cookie)).status).toBe(404)
  } finally {
    await terms(false)
  }
  const heard = await listen(`code:${project.id}`, cookie)
  expect(heard.status).toBe(200)
  heard.leave()
})

test('a server that stops ends its streams', async () => {
  const heard = await listen(`code:${project.id}`, await cookiesOf(owner))
  await forge.server.close()
  await expect.poll(() => heard.hasEnded).toBe(true)
})
