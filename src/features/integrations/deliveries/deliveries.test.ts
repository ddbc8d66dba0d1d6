/** Deliveries to webhooks: what receivers get, in which order, and what happens when they are slow, odd or gone. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { cpuBudget, measureComputing } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { sendJob } from './deliveries.jobs.ts'
import { deliverPush } from './deliveries.subscribers.ts'

cpuBudget(9, 'Deliveries of every kind to a receiver.')

interface Received {
  headers: IncomingMessage['headers']
  body: { ref: string; after: string; [field: string]: unknown }
  raw: string
  path: string
}

let forge: Forge
let maintainer: TestUser
let project: TestProject
let received: Received[] = []
let reply: (response: ServerResponse) => void
let receiver: Server
const opened: Server[] = []

const signing_token = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8')
      received.push({ headers: request.headers, body: JSON.parse(raw), raw, path: request.url ?? '' })
      reply(response)
    })
  })
  await listen(receiver)
})

beforeEach(async () => {
  received = []
  reply = (response) => response.end('thanks')
  project = await forge.project({ maintainer })
  await forge.drain()
})

afterEach(async () => {
  await forge.app.db.deleteFrom('hooks').execute()
})

afterAll(() => {
  for (const server of opened) server.close()
})

async function listen(server: Server): Promise<string> {
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return addressOf(server)
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
const client = () => forge.as(maintainer)

async function addHook(settings: Record<string, unknown> = {}): Promise<{ id: number; path: string }> {
  const { body } = await client().post(`/projects/${project.id}/hooks`, { url: addressOf(receiver), ...settings })
  return { id: body.id, path: `/projects/${project.id}/hooks/${body.id}` }
}

async function commit(branch: string, file: string): Promise<string> {
  const action = { action: 'create', file_path: file, content: file }
  const body = { branch, start_branch: branch === 'main' ? undefined : 'main', commit_message: `Add ${file}`, actions: [action] }
  return (await client().post(`/projects/${project.id}/repository/commits`, body)).body.id
}

/** As if the hook had rested, and all that waits were due. */
async function wake(): Promise<void> {
  await forge.app.db.updateTable('hooks').set({ rests_until: null }).execute()
  await forge.app.db.updateTable('hook_deliveries').set({ due_at: '2000-01-01T00:00:00.000Z' }).execute()
}

/** Also where a look at what is due is not yet due itself. */
async function send(): Promise<void> {
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
}

test('a push is delivered with its commits, its paths, the token and a signature', async () => {
  const hook = await addHook({ token: 'hush', signing_token })
  const sha = await commit('main', 'a file.txt')
  await send()
  expect(received).toHaveLength(1)
  const [{ headers, body, raw } = received[0] as Received] = received
  expect(headers).toMatchObject({ 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'hush', 'content-type': 'application/json' })
  expect(headers['idempotency-key']).toBe(headers['x-gitstead-delivery'])
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64')}`)
  expect(body).toMatchObject({
    object_kind: 'push',
    ref: 'refs/heads/main',
    after: sha,
    checkout_sha: sha,
    user_username: maintainer.username,
    project_id: project.id,
    project: { id: project.id, path_with_namespace: project.full_path, default_branch: 'main' },
    commits: [{ id: sha, message: 'Add a file.txt', title: 'Add a file.txt', added: ['a file.txt'], modified: [], removed: [] }],
    total_commits_count: 1,
  })
  const [event] = (await client().get(`${hook.path}/events`)).body
  expect(event).toMatchObject({ state: 'delivered', attempts: 1, response_status: '200', response_body: 'thanks', trigger: 'Push Hook' })
  expect(event.request_data).toEqual(body)
  expect(event.request_headers).toMatchObject({ 'x-gitlab-token': '*****', 'webhook-signature': '*****' })
  expect(JSON.stringify(event)).not.toContain('hush')
})

test('headers of its own and variables of its URL are sent, and blanked in the log; a variable without a value is told', async () => {
  const hook = await addHook({
    url: `${addressOf(receiver)}/{team}`,
    custom_headers: [{ key: 'Authorization', value: 'Bearer hush' }],
    url_variables: [{ key: 'team', value: 'hush' }],
  })
  await commit('main', 'a')
  await send()
  expect(received.map(({ headers, path }) => [headers.authorization, path])).toEqual([['Bearer hush', '/hook/hush']])
  const [event] = (await client().get(`${hook.path}/events`)).body
  expect([event.url, event.request_headers.Authorization]).toEqual([`${addressOf(receiver)}/{team}`, '*****'])
  expect(JSON.stringify(event)).not.toContain('hush')
  await client().delete(`${hook.path}/url_variables/team`)
  await commit('main', 'b')
  await send()
  expect((await client().get(hook.path)).body.last_error).toBe('The URL variable team has no value')
  expect(received).toHaveLength(1)
})

test(
  'each hook gets what it asked for: branches by its filter, tags, and neither',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    await addHook({ push_events_branch_filter: 'release-*' })
    await addHook({ push_events: false, tag_push_events: true })
    await addHook({ push_events: false })
    await commit('main', 'a')
    await commit('release-1', 'b')
    await client().post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'The first' })
    await client().delete(`/projects/${project.id}/repository/tags/v1`)
    await send()
    expect(received.map(({ body }) => [body.object_kind, body.ref, body.message])).toEqual(
      expect.arrayContaining([
        ['push', 'refs/heads/release-1', null],
        ['tag_push', 'refs/tags/v1', 'The first'],
        ['tag_push', 'refs/tags/v1', null],
      ]),
    )
    expect(received).toHaveLength(3)
  },
)

test(
  'hooks of the groups above and of the instance get it, those of other projects do not',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const owner = await forge.user()
    const above = await forge.group({ owner })
    const inside = await forge.project({ group: await forge.group({ parent: above }), maintainer })
    await forge.as(owner).post(`/groups/${above.id}/hooks`, { url: addressOf(receiver), token: 'of the group' })
    await forge
      .as(forge.root)
      .post('/hooks', { url: addressOf(receiver), token: 'of the instance', push_events: true, repository_update_events: false })
    await addHook({ token: 'of another project' })
    project = inside
    await commit('main', 'a')
    await send()
    expect(received.map(({ headers }) => headers['x-gitlab-token']).sort()).toEqual(['of the group', 'of the instance'])
  },
)

test('what waits while a receiver is down is delivered in order when it is back, once each', async () => {
  reply = (response) => response.writeHead(503).end('down')
  const hook = await addHook()
  const shas: string[] = []
  for (const file of ['a', 'b', 'c']) shas.push(await commit('main', file))
  await send()
  expect(received).toHaveLength(1)
  expect((await client().get(hook.path)).body).toMatchObject({
    alert_status: 'temporarily_disabled',
    last_error: 'The host answered with 503',
  })
  await send()
  expect(received).toHaveLength(1)
  received = []
  reply = (response) => response.end()
  await wake()
  await send()
  expect(received.map(({ body }) => body.after)).toEqual(shas)
  expect((await client().get(hook.path)).body).toMatchObject({ alert_status: 'executable', disabled_until: null, last_error: null })
})

test('what waits for a hook that rests tells what was so when it happened', async () => {
  reply = (response) => response.writeHead(503).end('down')
  await addHook({ issues_events: true })
  const sha = await commit('main', 'a')
  await send()
  await commit('gone', 'b')
  await client().post(`/projects/${project.id}/issues`, { title: 'Before', labels: 'bug' })
  await send()
  await client().put(`/projects/${project.id}`, { path: `${project.path}-renamed` })
  await client().delete(`/projects/${project.id}/labels/bug`)
  await client().delete(`/projects/${project.id}/repository/branches/gone`)
  received = []
  reply = (response) => response.end()
  await wake()
  await send()
  const told = received.map(({ raw }): { ref?: string; project: { path_with_namespace: string }; labels?: { title: string }[] } =>
    JSON.parse(raw),
  )
  expect(told.map((body) => body.project.path_with_namespace).slice(0, 3)).toEqual(Array(3).fill(project.full_path))
  expect(told.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/heads/gone', undefined, 'refs/heads/gone'])
  expect([received[0]?.body.after, told[2]?.labels?.map(({ title }) => title)]).toEqual([sha, ['bug']])
})

test(
  'a payload that is refused three times is given up, the next is sent, and all can be sent again',
  inFullRun('Half a second of processor. `outage.test.ts` gives up a payload after five tries, and sends what follows.'),
  async () => {
    reply = (response) => response.writeHead(422).end()
    const hook = await addHook()
    const first = await commit('main', 'a')
    for (let i = 0; i < 3; i++) {
      await send()
      await wake()
    }
    const second = await commit('main', 'b')
    reply = (response) => response.end()
    await send()
    expect(received.map(({ body }) => body.after)).toEqual([first, first, first, second])
    const [{ headers: once }, { headers: twice }] = received as [Received, Received]
    expect(twice['x-gitstead-delivery']).toBe(once['x-gitstead-delivery'])
    const states = async () => (await client().get(`${hook.path}/events`)).body.map((event: { state: string }) => event.state)
    expect(await states()).toEqual(['delivered', 'failed'])
    expect((await client().post(`${hook.path}/resend_failed`)).body).toEqual({ message: '201 Created', count: 1 })
    await send()
    expect([await states(), received.at(-1)?.body.after]).toEqual([['delivered', 'delivered'], first])
  },
)

test('redirects are not followed, and an answer of any size or none at all ends in time', async () => {
  const flood = Buffer.alloc(65_536, 'x')
  reply = (response) => {
    if (received.length === 1) response.writeHead(302, { location: addressOf(receiver) }).end()
    else {
      const pour = () => {
        while (response.write(flood)) if (response.destroyed) return
        response.once('drain', pour)
      }
      response.writeHead(200)
      pour()
    }
  }
  const hook = await addHook()
  await commit('main', 'a')
  await send()
  expect(received).toHaveLength(1)
  await wake()
  await send()
  const [event] = (await client().get(`${hook.path}/events`)).body
  expect([received.length, event.state, event.response_body.length]).toEqual([2, 'delivered', 8_192])
})

test('what answers without HTTP, or hangs up, is told in the log', async () => {
  const chatter = await listen(createTcpServer((socket) => void socket.end('220 mail.example.com ESMTP\r\n')))
  const closer = await listen(createTcpServer((socket) => socket.destroy()))
  const hooks = [await addHook({ url: chatter }), await addHook({ url: closer })]
  await commit('main', 'a')
  await send()
  const errors = await Promise.all(hooks.map(async ({ path }) => (await client().get(`${path}/events`)).body[0].internal_error_message))
  expect(errors).toEqual(['The host does not speak HTTP', 'The host closed the connection'])
})

test(
  'a URL that is no longer allowed is not called',
  inFullRun('Half a second of processor. `services.test.ts`: where local addresses are not allowed any more, nothing is sent.'),
  async () => {
    const hook = await addHook()
    await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })
    await commit('main', 'a')
    await send()
    await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
    expect(received).toEqual([])
    expect((await client().get(hook.path)).body.last_error).toBe('Requests to the local network are not allowed')
  },
)

test('a hook that is removed while its deliveries wait takes them with it', async () => {
  reply = (response) => response.writeHead(503).end()
  const hook = await addHook()
  await commit('main', 'a')
  await send()
  await client().delete(hook.path)
  await wake()
  await send()
  expect(received).toHaveLength(1)
  expect(await forge.app.db.selectFrom('hook_deliveries').selectAll().execute()).toEqual([])
})

test('two senders at once deliver each payload once, in order', async () => {
  await addHook()
  const shas: string[] = []
  for (const file of ['a', 'b', 'c', 'd']) shas.push(await commit('main', file))
  await Promise.all([sendJob.handle(forge.app, {}), sendJob.handle(forge.app, {})])
  // The queue of this process may send, too.
  await expect.poll(() => received.map(({ body }) => body.after)).toEqual(shas)
  await send()
  expect(received).toHaveLength(4)
})

test(
  'a host that hangs delays no other host and no request, and gets all of it in the end',
  inFullRun('2 s of processor. `fairness.test.ts` has hosts that hang.'),
  async () => {
    const held: ServerResponse[] = []
    reply = (response) => void held.push(response)
    const elsewhere: string[] = []
    const other = createServer((request, response) => {
      elsewhere.push(request.url ?? '')
      response.end()
    })
    opened.push(other)
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.2', resolve))
    for (let i = 0; i < 6; i++) await addHook()
    await addHook({ url: `http://127.0.0.2:${(other.address() as AddressInfo).port}/other` })
    const sha = await commit('main', 'a')
    const sent = send()
    await expect.poll(() => [held.length, elsewhere]).toEqual([4, ['/other']])
    expect((await client().get(`/projects/${project.id}`)).status).toBe(200)
    reply = (response) => response.end()
    for (const response of held) response.end()
    await sent
    expect(received.map(({ body }) => body.after)).toEqual(Array(6).fill(sha))
  },
)

test('what tells of a project that is deleted meanwhile is given up, and holds up nothing', async () => {
  const owner = await forge.user()
  const group = await forge.group({ owner })
  const [gone, stays] = [await forge.project({ group, maintainer }), await forge.project({ group, maintainer })]
  const { body: hook } = await forge.as(owner).post(`/groups/${group.id}/hooks`, { url: addressOf(receiver) })
  project = gone
  await commit('main', 'a')
  project = stays
  const sha = await commit('main', 'b')
  await forge.app.db.deleteFrom('projects').where('id', '=', gone.id).execute()
  await send()
  expect(received.map(({ body }) => body.after)).toEqual([sha])
  const { body: log } = await forge.as(owner).get(`/groups/${group.id}/hooks/${hook.id}/events`)
  expect(log.map(({ state, internal_error_message }: Record<string, string>) => [state, internal_error_message])).toEqual([
    ['delivered', null],
    ['failed', 'What it tells of has been deleted'],
  ])
})

test(
  'a hook is tested with the newest of each kind, and told where there is none',
  onPostgresAlone('Half a second of processor.'),
  async () => {
    const hook = await addHook({ push_events: false })
    const tested = (trigger: string) => client().post(`${hook.path}/test/${trigger}`)
    expect((await tested('issues_events')).body).toEqual({ message: 'Ensure the project has issues.' })
    expect((await tested('everything')).status).toBe(400)
    const sha = await commit('main', 'a')
    const { body: issue } = await client().post(`/projects/${project.id}/issues`, { title: 'Newest' })
    await client().post(`/projects/${project.id}/issues`, { title: 'Hidden', confidential: true })
    await client().post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Words' })
    await client().post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'main' })
    await client().post(`/projects/${project.id}/releases`, { tag_name: 'v1', description: 'One' })
    await client().post(`/projects/${project.id}/wikis`, { title: 'home', content: 'Welcome' })
    await forge.drain()
    const kinds = ['push', 'issues', 'confidential_issues', 'note', 'tag_push', 'releases', 'wiki_page']
    const ids: number[] = []
    for (const kind of kinds) {
      const { status, body } = await tested(`${kind}_events`)
      expect([kind, status]).toEqual([kind, 201])
      ids.push(body.hook_event_id)
    }
    await send()
    expect(received.map(({ headers }) => headers['x-gitlab-event'])).toEqual([
      'Push Hook',
      'Issue Hook',
      'Confidential Issue Hook',
      'Note Hook',
      'Tag Push Hook',
      'Release Hook',
      'Wiki Page Hook',
    ])
    expect(received[0]?.body.after).toBe(sha)
    expect(received.map(({ body }) => (body.object_attributes as { title?: string } | undefined)?.title)).toContain('Newest')
    const { body: log } = await client().get(`${hook.path}/events`)
    expect(log.map(({ id }: { id: number }) => id)).toEqual(ids.reverse())
  },
)

test('a hook of a group is tested with what its projects have, and its members', async () => {
  const owner = await forge.user()
  const group = await forge.group({ owner })
  project = await forge.project({ group: await forge.group({ parent: group }), maintainer })
  await client().post(`/projects/${project.id}/issues`, { title: 'Newest' })
  const { body } = await forge.as(owner).post(`/groups/${group.id}/hooks`, { url: addressOf(receiver) })
  const hook = `/groups/${group.id}/hooks/${body.id}`
  for (const trigger of ['issues', 'member', 'subgroup']) await forge.as(owner).post(`${hook}/test/${trigger}_events`)
  await send()
  expect(received.map(({ body }) => body.object_kind ?? body.event_name)).toEqual(['issue', 'user_add_to_group', 'subgroup_create'])
})

test('a hook of the instance is tested with the newest project, has a log, and sends again', async () => {
  const root = forge.as(forge.root)
  reply = (response) => response.writeHead(422).end()
  const { body: hook } = await root.post('/hooks', { url: addressOf(receiver) })
  const own = `/hooks/${hook.id}`
  const tested = await root.post(own)
  expect([tested.status, tested.body]).toMatchObject([201, { event_name: 'project_create', project_id: project.id, path: project.path }])
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await send()
    await wake()
  }
  expect(received.map(({ headers }) => headers['x-gitlab-event'])).toEqual(['System Hook', 'System Hook', 'System Hook'])
  const [event] = (await root.get(`${own}/events`)).body
  expect(event).toMatchObject({ state: 'failed', response_status: '422', request_data: { event_name: 'project_create' } })
  reply = (response) => response.end()
  expect((await root.post(`${own}/events/${event.id}/resend`)).body.count).toBe(1)
  await send()
  expect((await root.post(`${own}/resend_failed`)).body.count).toBe(0)
  expect((await root.get(`${own}/events`)).body[0].state).toBe('delivered')
  expect((await client().get(`${own}/events`)).status).toBe(403)
})

test('a push of many refs is bounded: fifty payloads of branches, a thousand refs for the instance', async () => {
  const hook = await addHook()
  const { body: system } = await forge.as(forge.root).post('/hooks', { url: addressOf(receiver) })
  const after = 'a'.repeat(40)
  const changes = Array.from({ length: 10_000 }, (_, index) => ({ ref: `refs/heads/b${index}`, before: '0'.repeat(40), after }))
  const event = { project_id: project.id, user_id: maintainer.id, at: new Date().toISOString(), default_branch: 'main' }
  const used_ms = measureComputing()
  await inTransaction(forge.app.db, (tx) =>
    deliverPush(tx, { type: 'refs_pushed', ...event, changes, has_new_default_branch: false, readme_path: null }),
  )
  expect(used_ms()).toBeLessThan(1_000)
  const rows = await forge.app.db
    .selectFrom('hook_deliveries')
    .innerJoin('hook_payloads', 'hook_payloads.id', 'hook_deliveries.payload_id')
    .select(['hook_id', 'facts'])
    .execute()
  expect(rows.filter(({ hook_id }) => hook_id === hook.id)).toHaveLength(50)
  const listed = JSON.parse(rows.find(({ hook_id }) => hook_id === system.id)?.facts ?? '{}')
  expect([listed.kind, listed.changes.length]).toEqual(['repository_update', 1_000])
})
