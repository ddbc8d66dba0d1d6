/**
 * Each change has a line in the audit log, with its author, their impersonator, address and target; only administrators and owners read it.
 */
import { beforeEach, expect, test } from 'vitest'
import { gpgKey } from '../../../../test/support/fixtures/gpg-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { recordFailure } from '../../people/sessions/sessions.ts'
import { resetFeedToken } from '../../people/users/users.ts'
import { pruneAuditLog } from './audit-log.jobs.ts'

interface Line {
  id: number
  author_id: number
  entity_id: number
  entity_type: string
  event_name: string
  details: Record<string, unknown>
  created_at: string
}

let forge: Forge
let root: ReturnType<Forge['as']>

beforeEach(async () => {
  forge = await testForge()
  root = forge.as(forge.root)
  await forge.app.db.deleteFrom('audit_events').execute()
})

/** The lines so far, the oldest first. */
async function lines(query = ''): Promise<Line[]> {
  const { status, body } = await root.get(`/audit_events?sort=asc&per_page=100${query}`)
  expect(status).toBe(200)
  return body as Line[]
}

const briefly = (all: Line[]) => all.map(({ event_name, details }) => [event_name, details.custom_message])

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('a line says who changed what, by which credential and from where', async () => {
  const [owner, member] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner })
  await forge.app.db.deleteFrom('audit_events').execute()

  await forge.as(owner).post(`/projects/${project.id}/members`, { user_id: member.id, access_level: 20 }, from('192.0.2.7'))

  const [line, ...others] = await lines()
  expect(others).toEqual([])
  expect(line).toEqual({
    id: expect.any(Number),
    author_id: owner.id,
    entity_id: project.id,
    entity_type: 'Project',
    event_name: 'member_added',
    details: {
      custom_message: `Added ${member.username} as Reporter`,
      add: 'user_access',
      as: 'Reporter',
      expires_at: null,
      with: 'token',
      with_id: expect.any(Number),
      author_name: owner.username,
      target_type: 'User',
      target_id: member.id,
      target_details: member.username,
      entity_path: project.full_path,
      ip_address: '192.0.2.7',
    },
    created_at: expect.any(String),
  })
})

test('members who change and leave, visibility, protection, hooks, keys and tokens have lines', async () => {
  const [owner, member] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: member })
  await forge.app.db.deleteFrom('audit_events').execute()
  const as = forge.as(owner)
  const at = `/projects/${project.id}`

  await as.put(`${at}/members/${member.id}`, { access_level: 40 })
  await as.delete(`${at}/members/${member.id}`)
  await as.put(at, { visibility: 'public' })
  await as.post(`${at}/protected_branches`, { name: 'stable/*' })
  await as.patch(`${at}/protected_branches/${encodeURIComponent('stable/*')}`, { code_owner_approval_required: true })
  await as.delete(`${at}/protected_branches/${encodeURIComponent('stable/*')}`)
  await as.post(`${at}/protected_tags`, { name: 'v*' })
  const { body: hook } = await as.post(`${at}/hooks`, { url: 'https://example.com/?secret=words', token: 'hook secret' })
  await as.put(`${at}/hooks/${hook.id}`, { url: 'https://example.com/', push_events: true })
  await as.delete(`${at}/hooks/${hook.id}`)
  const { body: deployToken } = await as.post(`${at}/deploy_tokens`, { name: 'machine', scopes: ['read_repository'] })
  await as.delete(`${at}/deploy_tokens/${deployToken.id}`)
  const { body: accessToken } = await as.post(`${at}/access_tokens`, { name: 'bot', scopes: ['read_api'], access_level: 10 })
  await as.delete(`${at}/access_tokens/${accessToken.id}`)

  const found = await lines(`&entity_type=Project&entity_id=${project.id}`)
  expect(briefly(found)).toEqual([
    ['member_changed', `Changed the access of ${member.username} from Developer to Maintainer`],
    ['member_removed', `Removed ${member.username}`],
    ['project_visibility_changed', 'Changed visibility from private to public'],
    ['protected_branch_created', 'Protected branch stable/*'],
    ['protected_branch_changed', 'Changed the protection of branch stable/*'],
    ['protected_branch_removed', 'Unprotected branch stable/*'],
    ['protected_tag_created', 'Protected tag v*'],
    ['webhook_created', `Created webhook ${hook.id}`],
    ['webhook_changed', `Changed webhook ${hook.id}`],
    ['webhook_removed', `Removed webhook ${hook.id}`],
    ['deploy_token_created', 'Created deploy token machine'],
    ['deploy_token_revoked', 'Revoked deploy token machine'],
    ['member_added', expect.stringMatching(/^Added project_\d+_bot_\w+ as Guest$/)],
    ['project_access_token_created', 'Created project access token bot'],
    ['member_removed', expect.stringMatching(/^Removed project_\d+_bot/)],
    ['project_access_token_revoked', 'Revoked project access token bot'],
  ])
  expect(found.find(({ event_name }) => event_name === 'protected_branch_changed')?.details).toMatchObject({
    push: 40,
    code_owner_approval_required: true,
  })
  const rows = await forge.app.db.selectFrom('audit_events').selectAll().execute()
  const text = JSON.stringify(rows)
  for (const secret of ['hook secret', 'secret=words', deployToken.token, accessToken.token]) expect(text).not.toContain(secret)
})

test('users who are made, promoted, renamed, blocked, unblocked and deleted have lines that outlive them', async () => {
  const username = `audited${Date.now()}`
  const { body: user } = await root.post('/users', { username, name: 'A', email: `${username}@example.com`, password: 'long enough 1' })
  await root.put(`/users/${user.id}`, { admin: true })
  await root.put(`/users/${user.id}`, { username: `${username}b`, password: 'long enough 2' })
  await root.post(`/users/${user.id}/block`)
  await root.post(`/users/${user.id}/unblock`)
  await root.delete(`/users/${user.id}`)

  const found = await lines(`&entity_type=User&entity_id=${user.id}`)
  expect(found.map(({ event_name }) => event_name)).toEqual([
    'user_created',
    'administrator_changed',
    'user_password_changed',
    'user_renamed',
    'user_blocked',
    'user_unblocked',
    'user_deleted',
  ])
  expect(found.at(-1)?.details).toMatchObject({ author_name: 'root', entity_path: `${username}b` })
  expect(JSON.stringify(found)).not.toContain('long enough')
})

test('of settings the names that have another value are told, and no value', async () => {
  await root.put('/application/settings', { captcha_private_key: 'a private key', sign_in_text: 'Hello', signup_enabled: true })
  await root.put('/application/settings', { captcha_private_key: 'a private key', sign_in_text: '' })
  const found = await lines('&entity_type=Instance')
  expect(found.map(({ details }) => details.settings)).toEqual([['captcha_private_key', 'sign_in_text'], ['sign_in_text']])
  expect(JSON.stringify(found)).not.toContain('a private key')
})

test('sudo is told once an hour, and a change by it names the administrator and the user', async () => {
  const user = await forge.user()
  const sudo = { headers: { sudo: user.username, 'x-forwarded-for': '192.0.2.99' } }
  await root.get('/user', sudo)
  await root.get('/projects', sudo)
  const { body: project } = await root.post('/projects', { name: 'made by sudo' }, sudo)
  const found = await lines()
  expect(briefly(found.filter(({ event_name }) => ['sudo_used', 'project_created'].includes(event_name)))).toEqual([
    ['sudo_used', `Acted as ${user.username} by sudo`],
    ['project_created', 'Created the project'],
  ])
  const made = found.find(({ entity_type, entity_id }) => entity_type === 'Project' && entity_id === project.id)
  expect(made?.details).toMatchObject({ author_name: 'root', acts_as: user.username, ip_address: '192.0.2.99' })
})

test('a change that is not committed has no line', async () => {
  const owner = await forge.user()
  const { body: group } = await forge.as(owner).post('/groups', { name: `audited ${Date.now()}`, path: `audited-${Date.now()}` })
  await forge.app.db.deleteFrom('audit_events').execute()
  expect((await forge.as(owner).delete(`/groups/${group.id}/members/${owner.id}`)).status).toBe(403)
  expect(await lines()).toEqual([])
})

test('a failed sign-in names a user who exists, and nothing of a login that does not', async () => {
  const user = await forge.user()
  await forge.app.db.deleteFrom('audit_events').execute()
  for (const login of [user.username, user.email, 'a password in the wrong field', 'nul\0'])
    await recordFailure(forge.app, { login, address: '192.0.2.1', by: 'password' })
  const found = await lines()
  expect(found.map(({ entity_type, entity_id, author_id }) => [entity_type, entity_id, author_id])).toEqual([
    ['User', user.id, -1],
    ['User', user.id, -1],
    ['Instance', 1, -1],
    ['Instance', 1, -1],
  ])
  expect(JSON.stringify(found)).not.toContain('wrong field')
  const costs = []
  for (const login of [user.username, 'nobody-at-all'])
    costs.push((await forge.cost(() => recordFailure(forge.app, { login, address: '192.0.2.1', by: 'password' }))).statements)
  expect(costs[0]).toBe(costs[1])
})

test('applications, and what users allow them, have lines without a secret', async () => {
  const user = await forge.user({ password: 'right and long' })
  const wanted = { name: 'Builds', redirect_uri: 'https://app.example/callback', scopes: 'read_user' }
  const { body: application } = await root.post('/applications', wanted)
  const { application_id: client_id, secret: client_secret } = application
  const grant = {
    grant_type: 'password',
    username: user.username,
    password: 'right and long',
    scope: 'read_user',
    client_id,
    client_secret,
  }
  const { body: token } = await forge.anonymous.post('//oauth/token', grant)
  await forge.anonymous.post('//oauth/revoke', { token: token.access_token, client_id, client_secret })
  await root.delete(`/applications/${application.id}`)

  const found = (await lines()).filter(({ event_name }) => event_name.startsWith('oauth'))
  expect(briefly(found)).toEqual([
    ['oauth_application_created', 'Created OAuth application Builds'],
    ['oauth_grant_created', 'Created OAuth grant Builds'],
    ['oauth_grant_revoked', 'Revoked OAuth grant Builds'],
    ['oauth_application_revoked', 'Revoked OAuth application Builds'],
  ])
  expect(found[1]).toMatchObject({ entity_type: 'User', entity_id: user.id, details: { scopes: ['read_user'] } })
  for (const secret of [client_secret, token.access_token, token.refresh_token]) expect(JSON.stringify(found)).not.toContain(secret)
})

test('wrong passwords of git and of the password grant have lines', async () => {
  const user = await forge.user({ password: 'right and long' })
  const basic = `Basic ${Buffer.from(`${user.username}:wrong`).toString('base64')}`
  const project = await forge.project({ owner: user })
  await forge.app.db.deleteFrom('audit_events').execute()
  await forge.anonymous.get(`//${project.full_path}.git/info/refs?service=git-upload-pack`, { headers: { authorization: basic } })
  await forge.anonymous.post('//oauth/token', { grant_type: 'password', username: user.username, password: 'wrong' })
  expect((await lines()).map(({ event_name, details }) => [event_name, details.failed_with])).toEqual([
    ['sign_in_failed', 'git'],
    ['sign_in_failed', 'oauth'],
  ])
})

test('lists are narrowed by what was changed and when, and walked by keyset pages', async () => {
  const users: TestUser[] = []
  for (const _ of [1, 2, 3]) users.push(await forge.user())
  for (const user of users) await root.post(`/users/${user.id}/block`)
  const at = (day: number) => `2020-01-0${day}T00:00:00.000Z`
  const rows = await forge.app.db.selectFrom('audit_events').select('id').where('event_name', '=', 'user_blocked').orderBy('id').execute()
  for (const [index, { id }] of rows.entries())
    await forge.app.db
      .updateTable('audit_events')
      .set({ created_at: at(index + 1) })
      .where('id', '=', id)
      .execute()

  const ids = async (query: string) =>
    ((await root.get(`/audit_events?entity_type=User&${query}`)).body as Line[]).map(({ entity_id }) => entity_id)
  expect(await ids(`created_before=${at(2)}`)).toEqual([users[1]?.id, users[0]?.id])
  expect(await ids(`created_after=2020-01-02T01:00:00%2B01:00&created_before=${at(3)}`)).toEqual([users[2]?.id, users[1]?.id])
  expect(await ids(`entity_id=${users[0]?.id}&created_before=${at(3)}`)).toEqual([users[0]?.id])
  const first = await root.get(`/audit_events?entity_type=User&created_before=${at(3)}&pagination=keyset&per_page=2`)
  expect(first.body.map(({ entity_id }: Line) => entity_id)).toEqual([users[2]?.id, users[1]?.id])
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string
  const second = await root.get(next.slice(next.indexOf('/api/v4') + '/api/v4'.length))
  expect(second.body.map(({ entity_id }: Line) => entity_id)).toEqual([users[0]?.id])
  for (const wrong of ['entity_id=1', 'entity_type=Nothing', 'created_after=yesterday', 'entity_type=User&entity_id=0'])
    expect([wrong, (await root.get(`/audit_events?${wrong}`)).status]).toEqual([wrong, 400])
})

test('maintainers read the lines of their project and owners those of their group, and of no other', async () => {
  const [maintainer, developer] = [await forge.user(), await forge.user()]
  const [project, other] = [await forge.project({ maintainer, developer }), await forge.project()]
  const { body } = await forge.as(maintainer).get(`/projects/${project.id}/audit_events`)
  expect(body.length).toBeGreaterThan(0)
  const [line] = body as Line[]
  expect((await forge.as(maintainer).get(`/projects/${project.id}/audit_events/${line?.id}`)).body).toEqual(line)
  const [foreign] = await lines(`&entity_type=Project&entity_id=${other.id}`)
  expect((await forge.as(maintainer).get(`/projects/${project.id}/audit_events/${foreign?.id}`)).status).toBe(404)
  expect((await forge.as(developer).get(`/projects/${project.id}/audit_events`)).status).toBe(403)
  expect((await forge.as(maintainer).get('/audit_events')).status).toBe(403)
  expect((await root.get(`/audit_events/${foreign?.id}`)).body).toEqual(foreign)
})

test('lines older than the setting are deleted by a job, and none while it is not set', async () => {
  await forge.app.db.deleteFrom('audit_events').execute()
  await root.post(`/users/${(await forge.user()).id}/block`)
  await root.post(`/users/${(await forge.user()).id}/block`)
  const all = await forge.app.db.selectFrom('audit_events').select('id').execute()
  const old = new Date(Date.now() - 31 * 24 * 60 * 60_000).toISOString()
  await forge.app.db.updateTable('audit_events').set({ created_at: old }).where('event_name', '=', 'user_blocked').execute()
  await pruneAuditLog.handle(forge.app, {})
  expect(await forge.app.db.selectFrom('audit_events').select('id').execute()).toHaveLength(all.length)
  await root.put('/application/settings', { audit_events_retention_days: 30 })
  await pruneAuditLog.handle(forge.app, {})
  expect((await lines()).map(({ event_name }) => event_name)).not.toContain('user_blocked')
  await root.put('/application/settings', { audit_events_retention_days: 0 })
})

test('GPG keys, feed tokens and git by password have lines, git once for each network', async () => {
  const user = await forge.user({ password: 'a long password' })
  const project = await forge.project({ developer: user })
  await forge.app.db.deleteFrom('audit_events').execute()
  const { body: key } = await forge.as(user).post('/user/gpg_keys', { key: gpgKey() })
  await forge.as(user).delete(`/user/gpg_keys/${key.id}`)
  const token = await resetFeedToken(forge.app, user)
  const remote = await forge.remote(project, { ...user, token: 'a%20long%20password' })
  for (const _ of ['twice', 'and more']) await git(await forge.folder(), 'ls-remote', remote)

  const found = await lines(`&entity_type=User&entity_id=${user.id}`)
  expect(briefly(found)).toEqual([
    ['gpg_key_added', expect.stringMatching(/^Added GPG key [0-9A-F]+$/i)],
    ['gpg_key_removed', expect.stringMatching(/^Removed GPG key [0-9A-F]+$/i)],
    ['feed_token_revoked', 'Revoked feed token'],
    ['feed_token_created', 'Created feed token'],
    ['git_password_used', 'Used git with the password'],
  ])
  expect(found.at(-1)?.details).toMatchObject({ author_name: user.username, ip_address: '127.0.0.1' })
  for (const secret of [token, 'a long password']) expect(JSON.stringify(found)).not.toContain(secret)
})

test('each state of an account that an administrator gives has a line of its own', async () => {
  const waiting = await forge.user({ state: 'blocked_pending_approval' })
  const rejected = await forge.user({ state: 'blocked_pending_approval' })
  for (const act of ['approve', 'deactivate', 'activate', 'ban', 'unban']) await root.post(`/users/${waiting.id}/${act}`)
  await root.post(`/users/${rejected.id}/reject`)

  const names = async (id: number) => (await lines(`&entity_type=User&entity_id=${id}`)).map(({ event_name }) => event_name)
  expect(await names(waiting.id)).toEqual([
    'user_created',
    'user_approved',
    'user_deactivated',
    'user_activated',
    'user_banned',
    'user_unbanned',
  ])
  expect(await names(rejected.id)).toEqual(['user_created', 'user_rejected', 'user_deleted'])
})
