/** Webhooks of projects, groups and the instance: who has them, where they may lead, and that no secret comes back. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let owner: TestUser
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let group: { id: number }

beforeAll(async () => {
  forge = await testForge()
  ;[owner, maintainer, developer] = await Promise.all([forge.user(), forge.user(), forge.user()])
  const located = await forge.group({ owner })
  group = located
  project = await forge.project({ group: located, maintainer, developer })
})

// An address: names would be looked up.
const url = 'https://93.184.216.34/hook?x=1'
const signing_token = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const rows = () => forge.app.db.selectFrom('hooks').selectAll().orderBy('id').execute()

test('a webhook of a project is added, shown without its secrets, changed and removed', async () => {
  const client = forge.as(maintainer)
  const hooks = `/projects/${project.id}/hooks`
  const made = await client.post(hooks, {
    url,
    token: 'hush',
    signing_token,
    issues_events: true,
    push_events_branch_filter: ' release-* ',
  })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    url,
    project_id: project.id,
    push_events: true,
    issues_events: true,
    tag_push_events: false,
    enable_ssl_verification: true,
    push_events_branch_filter: 'release-*',
    alert_status: 'executable',
    disabled_until: null,
  })
  expect(made.body).not.toHaveProperty('group_id')
  const own = `${hooks}/${made.body.id}`
  const changed = await client.put(own, { push_events: false, token: null })
  expect(changed.body).toEqual({ ...made.body, push_events: false })
  expect((await client.get(own)).body).toEqual(changed.body)
  expect((await client.get(hooks)).body).toEqual([changed.body])
  expect((await client.delete(own)).status).toBe(204)
  expect((await client.get(own)).body).toEqual({ message: '404 Not found' })
})

test('neither replies nor the database hold a secret in clear', async () => {
  const secrets = { token: 'very-secret-token', signing_token }
  const made = await forge.as(owner).post(`/groups/${group.id}/hooks`, { url: 'https://me:pass-word@93.184.216.34/a', ...secrets })
  expect([made.status, made.body.url, made.body.group_id]).toEqual([201, 'https://me:*****@93.184.216.34/a', group.id])
  const everything = JSON.stringify([made.body, await rows()])
  for (const secret of ['very-secret', 'pass-word', signing_token, Buffer.alloc(32, 7).toString('base64')]) {
    expect(everything).not.toContain(secret)
  }
})

test('system hooks are of administrators, who may let them call neighbours', async () => {
  const root = forge.as(forge.root)
  const made = await root.post('/hooks', { url: 'http://127.0.0.1:9/hook' })
  expect(made.body).toMatchObject({ push_events: false, repository_update_events: true, merge_requests_events: false })
  expect((await root.get('/hooks')).body).toEqual([made.body])
  expect((await root.put(`/hooks/${made.body.id}`, { push_events: true })).body.push_events).toBe(true)
  expect((await forge.as(owner).get('/hooks')).status).toBe(403)
  expect((await root.delete(`/hooks/${made.body.id}`)).status).toBe(204)
  expect((await root.delete(`/hooks/${made.body.id}`)).status).toBe(404)
})

describe('an invalid hook changes nothing', () => {
  const refused = { error: 'Invalid url given' }
  test.each([
    ['a neighbour', { url: 'http://127.0.0.1/x' }, 422, refused],
    ['a neighbour as a number', { url: 'http://2130706433' }, 422, refused],
    ['a neighbour in IPv6', { url: 'http://[::ffff:10.0.0.1]/' }, 422, refused],
    ['a name of this machine', { url: 'http://a.localhost/' }, 422, refused],
    ['another protocol', { url: 'ftp://93.184.216.34/' }, 422, refused],
    ['no URL', { url: 'hook' }, 422, refused],
    ['a line break in the URL', { url: 'http://93.184.216.34/\r\nX: 1' }, 422, refused],
    ['no branch', { url, push_events_branch_filter: 'a..b' }, 422, { error: 'Invalid branch filter given' }],
    ['a line break in the token', { url, token: 'a\r\nX: 1' }, 400, { message: { token: ['is invalid'] } }],
    ['a short key', { url, signing_token: 'whsec_AAAA' }, 400, expect.anything()],
    ['no key', { url, signing_token: 'a'.repeat(40) }, 400, expect.anything()],
    ['nothing', {}, 400, expect.anything()],
    ['a flag that is none', { url, push_events: 'perhaps' }, 400, expect.anything()],
  ])('%s', async (_, body, status, answer) => {
    const before = await rows()
    const made = await forge.as(maintainer).post(`/projects/${project.id}/hooks`, body)
    expect([made.status, made.body]).toEqual([status, answer])
    expect(await rows()).toEqual(before)
  })

  test('a developer, another project', async () => {
    const made = await forge.as(maintainer).post(`/projects/${project.id}/hooks`, { url })
    const other = await forge.project({ maintainer: developer })
    const client = forge.as(developer)
    expect((await client.get(`/projects/${project.id}/hooks`)).status).toBe(403)
    expect((await client.put(`/projects/${other.id}/hooks/${made.body.id}`, { push_events: false })).status).toBe(404)
    expect((await client.delete(`/projects/${other.id}/hooks/${made.body.id}`)).status).toBe(404)
    expect((await rows()).filter(({ id }) => id === made.body.id)).toHaveLength(1)
  })

  test('the hundred and first', async () => {
    const crowded = await forge.project({ maintainer })
    const row = { project_id: crowded.id, namespace_id: null, url: 'x', created_at: '2030-01-01', updated_at: '2030-01-01' }
    await forge.app.db
      .insertInto('hooks')
      .values(Array.from({ length: 100 }, () => row))
      .execute()
    expect((await forge.as(maintainer).post(`/projects/${crowded.id}/hooks`, { url })).status).toBe(400)
  })
})

test('hooks go with their project', async () => {
  const gone = await forge.project({ maintainer })
  const made = await forge.as(maintainer).post(`/projects/${gone.id}/hooks`, { url })
  await forge.app.db.deleteFrom('projects').where('id', '=', gone.id).execute()
  expect((await rows()).filter(({ id }) => id === made.body.id)).toEqual([])
})

test('a list costs the same however many there are', async () => {
  const client = forge.as(maintainer)
  const list = () => client.get(`/projects/${project.id}/hooks`)
  const few = await forge.cost(list)
  for (let i = 0; i < 5; i++) await client.post(`/projects/${project.id}/hooks`, { url })
  expect(await forge.cost(list)).toEqual(few)
})
