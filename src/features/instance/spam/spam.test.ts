/** Spam checks: what a service that speaks the protocol of Akismet is asked, what it refuses, and that it stops nobody when it fails. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { type Forge, openForge, type TestProject, type TestUser } from '../../../../test/support/forge.ts'

const password = 'correct horse battery'
const key = 'key-of-akismet'
const text = `Buy <b>pills</b> now`
let forge: Forge
let admin: TestUser
let author: TestUser
let project: TestProject
let service: Server
let asked: Array<{ path: string; fields: Record<string, string> }> = []
/** The spam service's answer; null makes it hang. */
let reply: ((path: string) => { status?: number; body: string }) | null

const honest = (path: string) => ({ body: path.endsWith('submit-ham') ? 'Thanks for making the web a better place.' : 'false' })
const suspicious = (path: string) => (path.endsWith('comment-check') ? { body: 'true' } : honest(path))

beforeAll(async () => {
  service = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      asked.push({ path, fields: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())) })
      const answer = reply?.(path)
      if (answer) response.writeHead(answer.status ?? 200).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const spam_check_url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/1.1`
  forge = await openForge({ config: { spam_check_url } })
  admin = await forge.user({ admin: true, password })
  author = await forge.user({ password })
  project = await forge.project({ owner: author, visibility: 'public', files: null })
})
afterAll(() => {
  service.closeAllConnections()
  service.close()
})

const set = (settings: object) => forge.as(forge.root).put('/application/settings', settings)
beforeEach(async () => {
  asked = []
  reply = honest
  await set({ akismet_enabled: true, akismet_api_key: key, allow_local_requests_from_hooks_and_services: true })
})

const issues = () => `/projects/${project.id}/issues`
const titles = async () => (await forge.as(author).get(issues())).body.map(({ title }: { title: string }) => title)
const logged = () => forge.app.db.selectFrom('spam_logs').selectAll().orderBy('id').execute()

test('the service is shown a public issue with its author, address and user agent, and what it calls spam is refused and logged', async () => {
  const sent = await forge.as(author).post(issues(), { title: 'Honest', description: 'About a pump' })
  expect(sent.status).toBe(201)
  expect(asked).toMatchObject([
    {
      path: '/1.1/comment-check',
      fields: {
        api_key: key,
        blog: 'http://gitstead.test',
        user_ip: '127.0.0.1',
        user_agent: expect.any(String),
        comment_type: 'comment',
        comment_author: author.name,
        comment_author_email: `${author.username}@example.com`,
        comment_content: 'Honest\nAbout a pump',
        comment_date_gmt: expect.stringMatching(/^\d{4}-/),
      },
    },
  ])
  reply = suspicious
  const refused = await forge.as(author).post(issues(), { title: 'Pills', description: text })
  expect([refused.status, refused.body]).toEqual([400, { message: { error: 'Spam detected' } }])
  const changed = await forge.as(author).put(`${issues()}/${sent.body.iid}`, { description: text })
  expect([changed.status, changed.body]).toEqual([400, { message: { error: 'Spam detected' } }])
  expect(await titles()).toEqual(['Honest'])
  const rows = (await logged()).map(({ user_id, kind, title, text: kept }) => [user_id, kind, title, kept])
  expect(rows).toEqual([
    [author.id, 'issue', 'Pills', text],
    [author.id, 'issue', 'Honest', text],
  ])
})

test('a change of an issue that touches no public text is not checked, and one that makes it public is', async () => {
  const { body } = await forge.as(author).post(issues(), { title: 'Hidden', description: text, confidential: true })
  const at = `${issues()}/${body.iid}`
  await forge.as(author).put(at, { title: 'Still hidden' })
  expect(asked).toEqual([])
  reply = suspicious
  expect((await forge.as(author).put(at, { confidential: false })).status).toBe(400)
  reply = honest
  expect((await forge.as(author).put(at, { confidential: false })).status).toBe(200)
  asked = []
  for (const change of [{ state_event: 'close' }, { title: 'Still hidden' }, { labels: 'x' }]) await forge.as(author).put(at, change)
  expect(asked).toEqual([])
})

test('public snippets are checked with their files, of persons and of public projects, and others are not', async () => {
  const closed = await forge.project({ owner: author, visibility: 'private', files: null })
  const snippet = { title: 'Notes', description: 'Mine', file_name: 'a.txt', content: 'one' }
  const made = await forge.as(author).post('/snippets', { ...snippet, visibility: 'internal' })
  await forge.as(author).post(`/projects/${closed.id}/snippets`, { ...snippet, visibility: 'public' })
  expect(asked).toEqual([])
  await forge.as(author).put(`/snippets/${made.body.id}`, { visibility: 'public' })
  await forge.as(author).post(`/projects/${project.id}/snippets`, { ...snippet, visibility: 'public' })
  await forge.as(author).put(`/snippets/${made.body.id}`, { title: 'Notes' })
  expect(asked.map(({ fields }) => fields.comment_content)).toEqual(['Notes\nMine\none', 'Notes\nMine\none'])
  reply = suspicious
  const changed = await forge.as(author).put(`/snippets/${made.body.id}`, { content: text })
  expect([changed.status, changed.body]).toEqual([400, { message: { error: 'Spam detected' } }])
  expect((await forge.as(author).get(`/snippets/${made.body.id}/raw`)).text).toBe('one')
})

test.each([
  ['is down', () => ({ status: 500, body: 'true' })],
  ['says something else', () => ({ body: 'invalid' })],
  ['does not answer', null],
])('a service that %s stops nobody', async (_, answer) => {
  reply = answer
  const title = `Written ${_}`
  expect((await forge.as(author).post(issues(), { title })).status).toBe(201)
  expect(asked).toHaveLength(1)
})

test('the guard keeps checks out of the local network, and disabled ones ask nothing', async () => {
  reply = suspicious
  await set({ allow_local_requests_from_hooks_and_services: false })
  expect((await forge.as(author).post(issues(), { title: 'Guarded' })).status).toBe(201)
  await set({ akismet_enabled: false, allow_local_requests_from_hooks_and_services: true })
  expect((await forge.as(author).post(issues(), { title: 'Unchecked' })).status).toBe(201)
  expect(asked).toEqual([])
})

test('a form that is refused shows why, and administrators see the log, submit ham and remove who wrote it', async () => {
  const spammer = await forge.user({ password })
  const browserFor = async (user: TestUser) => {
    const me = browserOf(forge.server)
    expect((await me.submit('/users/sign_in', '/users/sign_in', { login: user.username, password })).status).toBe(303)
    return me
  }
  reply = suspicious
  const me = await browserFor(spammer)
  const form = { title: 'Pills', description: text, file_name: 'a', content: 'Ümläut', visibility: 'public' }
  const refused = await me.submit('/snippets/new', '/snippets', form)
  expect([refused.status, refused.text.includes('Spam detected'), refused.text.includes('Ümläut')]).toEqual([422, true, true])
  expect((await me.get('/admin/spam_logs')).status).toBe(404)
  const [{ id: earlier } = { id: 0 }] = await logged()
  const id = (await logged()).at(-1)?.id ?? 0
  const them = await browserFor(admin)
  const list = (await them.get('/admin/spam_logs')).text
  expect([readDocument(list).faults, list.includes('<b>pills</b>'), list.includes(spammer.username)]).toEqual([[], false, true])
  asked = []
  const act = (log: number, name: string) => them.submit('/admin/spam_logs', `/admin/spam_logs/${log}/${name}`, {})
  expect((await act(id, 'ham')).location).toBe('/admin/spam_logs')
  expect(asked).toMatchObject([
    { path: '/1.1/submit-ham', fields: { comment_content: `Pills\n${text}\nÜmläut`, comment_author: spammer.name } },
  ])
  expect((await them.get('/admin/spam_logs')).text).toContain('Submitted as ham')
  reply = () => ({ status: 503, body: '' })
  const failed = await act(earlier, 'ham')
  expect([failed.status, failed.text.includes('The service answered with status 503')]).toEqual([400, true])
  expect((await act(id, 'ban')).status).toBe(303)
  expect((await forge.as(forge.root).get(`/users/${spammer.id}`)).body.state).toBe('banned')
  expect((await act(id, 'remove_user')).status).toBe(303)
  await forge.drain()
  expect((await logged()).some(({ user_id }) => user_id === spammer.id)).toBe(false)
  expect((await act(earlier, 'remove')).status).toBe(303)
  expect((await logged()).some((row) => row.id === earlier)).toBe(false)
})
