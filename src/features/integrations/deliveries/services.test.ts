/** Integrations hear of events by the queue of webhooks: what arrives, what is logged, and what happens when a receiver is down. */
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
let received: Array<{ at: string; body: string }> = []
let lines = ''
let status = 200
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('utf8')
  })
  request.on('end', () => {
    received.push({ at: `${request.method} ${request.url}`, body })
    response.writeHead(status).end('{}')
  })
})
const irker = createTcpServer((socket) => {
  socket.on('data', (chunk: Buffer) => {
    lines += chunk.toString('utf8')
  })
  socket.on('error', () => {})
})

const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  await Promise.all([listen(receiver), listen(irker)])
  project = await forge.project({ maintainer })
})

afterAll(() => {
  receiver.close()
  irker.close()
})

const client = () => forge.as(maintainer)
const at = (rest: string) => `/projects/${project.id}/services/${rest}`

async function commit(file: string): Promise<string> {
  const actions = [{ action: 'create', file_path: file, content: file }]
  return (await client().post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: `Add ${file}`, actions }))
    .body.id
}

/** As if all that waits were due. */
async function send(): Promise<void> {
  const { db } = forge.app
  await db.updateTable('hooks').set({ rests_until: null }).execute()
  await db.updateTable('hook_deliveries').set({ due_at: '2000-01-01T00:00:00.000Z' }).execute()
  await db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
}

test('a push reaches each integration that hears of pushes, in its own form, and webhooks do not show them', async () => {
  const url = `http://127.0.0.1:${portOf(receiver)}`
  await client().put(at('slack'), { webhook: `${url}/slack` })
  await client().put(at('plain-json'), { webhook: `${url}/off`, push_events: false })
  await client().put(at('teamcity'), { teamcity_url: `${url}/tc`, build_type: 'b', username: 'u', password: 'p' })
  await client().put(at('jira'), { url: `${url}/jira`, username: 'u', password: 'p' })
  await client().put(at('irker'), { recipients: 'irc://irc.example.com/#a', server_host: '127.0.0.1', server_port: portOf(irker) })
  await client().put(at('emails-on-push'), { recipients: 'a@example.com' })
  await client().put(at('mattermost'), { webhook: `${url}/inactive`, active: false })
  const sha = await commit('WATER-1')
  await send()
  expect(received.map(({ at }) => at).sort()).toEqual([
    'GET /jira/rest/api/2/issue/WATER-1',
    'GET /jira/rest/api/2/issue/WATER-1/remotelink',
    'POST /jira/rest/api/2/issue/WATER-1/comment',
    'POST /jira/rest/api/2/issue/WATER-1/remotelink',
    'POST /slack',
    'POST /tc/httpAuth/app/rest/buildQueue',
  ])
  expect(received.find(({ at }) => at === 'POST /slack')?.body).toContain(sha.slice(0, 8))
  await expect.poll(() => lines).toContain('pushed 1 new commit')
  expect((await client().get(`/projects/${project.id}/hooks`)).body).toEqual([])
  expect((await client().get(at('mattermost/events'))).body).toEqual([])
  const [event] = (await client().get(at('slack/events'))).body
  expect(event).toMatchObject({ state: 'delivered', response_status: '200', trigger: 'Push Hook', request_data: { object_kind: 'push' } })
  expect(JSON.stringify(event)).not.toContain('/slack')
})

test('what a receiver missed is sent when it is back, once, or when it is asked for', async () => {
  received = []
  await client().delete(at('jira'))
  await client().delete(at('teamcity'))
  status = 503
  await commit('b')
  await send()
  expect((await client().get(at('slack/events'))).body[0]).toMatchObject({ state: 'waiting', response_status: '503' })
  status = 200
  await send()
  expect(received.map(({ at }) => at)).toEqual(['POST /slack', 'POST /slack'])
  const [{ id }] = (await client().get(at('slack/events'))).body
  expect((await client().post(at(`slack/events/${id}/resend`))).body).toEqual({ message: '201 Created', count: 1 })
  await send()
  expect(received).toHaveLength(3)
  expect((await client().post(at(`irker/events/${id}/resend`))).status).toBe(404)
})

test('a test sends a sample, and says how it went', async () => {
  received = []
  expect((await client().post(at('slack/test'))).body).toEqual({ success: true, message: 'The host answered with 200' })
  status = 422
  expect((await client().post(at('slack/test'))).body).toEqual({ success: false, message: 'The host answered with 422' })
  status = 200
  expect(received.map(({ at }) => at)).toEqual(['POST /slack', 'POST /slack'])
  expect((await client().post(at('asana/test'))).status).toBe(400)
})

test('where local addresses are not allowed any more, nothing is sent', async () => {
  received = []
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })
  await commit('c')
  await send()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  expect(received).toEqual([])
  expect((await client().get(at('slack/events'))).body[0].internal_error_message).toBe('Requests to the local network are not allowed')
})

test('a template is copied to the projects there are, and to new ones; their own integrations stay', async () => {
  const { setIntegration } = await import('../services/services.ts')
  const { kindOf } = await import('../kinds/kinds.ts')
  const other = await forge.project({ maintainer })
  await client().put(`/projects/${other.id}/services/bugzilla`, {
    project_url: 'https://93.184.216.34/p',
    issues_url: 'https://93.184.216.34/own/:id',
    new_issue_url: 'https://93.184.216.34/n',
  })
  const url = `http://127.0.0.1:${portOf(receiver)}/template`
  for (const [slug, fields] of [
    ['plain-json', { webhook: url }],
    ['external-wiki', { external_wiki_url: 'https://93.184.216.34/wiki' }],
  ] as const) {
    const kind = kindOf(slug)
    if (kind) await setIntegration(forge.app, null, kind, { fields, flags: {} }, { keeping: true })
  }
  await forge.drain()
  const fresh = await forge.project({ maintainer })
  await forge.drain()
  const slugs = async (id: number) => (await client().get(`/projects/${id}/services`)).body.map(({ slug }: { slug: string }) => slug)
  expect(await slugs(other.id)).toEqual(['bugzilla', 'plain-json', 'external-wiki'])
  expect(await slugs(fresh.id)).toEqual(['plain-json', 'external-wiki'])
  const wikis = await forge.app.db
    .selectFrom('projects')
    .select(['id', 'external_wiki_url'])
    .where('id', 'in', [other.id, fresh.id])
    .execute()
  expect(wikis.map(({ external_wiki_url }) => external_wiki_url)).toEqual(Array(2).fill('https://93.184.216.34/wiki'))
  await forge.app.db.deleteFrom('hook_deliveries').execute()
  received = []
  project = fresh
  await commit('d')
  await send()
  expect(received.map(({ at }) => at)).toEqual(['POST /template'])
})
