/** Access tokens of projects and groups: who creates one, what its bot user may do, and how both end. */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { gpgKey } from '../../../../test/support/fixtures/gpg-keys.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { digestOf } from '../../../access/tokens.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { replaceProject } from '../../transfer/archive-imports/replace-project.service.ts'
import { removeExpiredJob } from '../members/members.jobs.ts'
import { ghostUser } from '../user-deletion/ghost.service.ts'
import { removeBotsJob } from './resource-tokens.jobs.ts'

cpuBudget(7, 'An export, pushes, and endpoints by every kind of token.')

let forge: Forge
let owner: TestUser
let maintainer: TestUser
let group: LocatedGroup
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const wanted = { name: 'machine', scopes: ['api'], access_level: 30 }
const forbidden = { message: '403 Forbidden' }

beforeAll(async () => {
  forge = await testForge()
  ;[owner, maintainer] = await Promise.all([forge.user(), forge.user()])
  group = await forge.group({ owner, maintainer })
})

/** A project in the group, and where its tokens are. */
async function projectWithTokens() {
  const project = await forge.project({ group })
  return { project, at: `/projects/${project.id}/access_tokens` }
}

async function create(at: string, body: object = wanted, by = owner) {
  const answer = await forge.as(by).post(at, body)
  expect([answer.status, answer.text]).toEqual([201, expect.anything()])
  const { token, ...shown } = answer.body
  return { token: token as string, shown, bot: forge.as(owner, { token }) }
}

const userRow = (id: number) => forge.app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
const rowCounts = async () => {
  const { db } = forge.app
  const [tokens, users, members] = await Promise.all([
    db.selectFrom('access_tokens').select('id').execute(),
    db.selectFrom('users').select('id').execute(),
    db.selectFrom('members').select('id').execute(),
  ])
  return [tokens.length, users.length, members.length]
}

describe('a token', () => {
  test.each(['project', 'group'])('of a %s is seen once, listed without its secret, and acts as a bot user', async (kind) => {
    const { project } = await projectWithTokens()
    const at = kind === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`
    const body = { ...wanted, scopes: ['api', 'read_repository'], expires_at: day(7), description: 'For the build' }
    const { token, shown, bot } = await create(`${at}/access_tokens`, body)
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'machine',
      description: 'For the build',
      revoked: false,
      created_at: expect.stringMatching(/Z$/),
      scopes: ['api', 'read_repository'],
      user_id: expect.any(Number),
      last_used_at: null,
      active: true,
      expires_at: day(7),
      access_level: 30,
    })
    expect(token).toMatch(/^gst-[0-9a-f]{40}$/)
    const { body: self } = await bot.get('/user')
    expect(self).toMatchObject({ id: shown.user_id, name: 'machine', bot: true, can_create_group: false, can_create_project: false })
    expect(self.username).toMatch(new RegExp(`^${kind}_${kind === 'project' ? project.id : group.id}_bot_[0-9a-f]{32}$`))
    expect(self.email).toBe(`${self.username}@noreply.gitstead.test`)
    const used = { ...shown, last_used_at: expect.stringMatching(/Z$/) }
    const [got, listed] = [await forge.as(owner).get(`${at}/access_tokens/${shown.id}`), await forge.as(owner).get(`${at}/access_tokens`)]
    expect([got.body, listed.body.at(-1)]).toEqual([used, used])
    expect(listed.text + got.text).not.toContain(token)
    const { body: member } = await forge.as(owner).get(`${at}/members/${shown.user_id}`)
    expect(member).toMatchObject({ username: self.username, access_level: 30, expires_at: day(7) })
    expect((await forge.as(owner).get(`/projects/${project.id}/members/all`)).text).toContain(self.username)
    expect((await bot.get('/personal_access_tokens/self')).body).toMatchObject({ id: shown.id, user_id: shown.user_id })
  })

  test('is in the database as a digest alone', async () => {
    const { at } = await projectWithTokens()
    const { token, shown } = await create(at)
    const row = await forge.app.db.selectFrom('access_tokens').selectAll().where('id', '=', shown.id).executeTakeFirstOrThrow()
    expect(row.digest).toBe(digestOf(token))
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('reaches its project and no other, not even one of the same group or the same maker', async () => {
    const [one, other] = [await projectWithTokens(), await projectWithTokens()]
    const { bot } = await create(one.at, { ...wanted, access_level: 40 })
    expect((await bot.get(`/projects/${one.project.id}/repository/tree`)).status).toBe(200)
    for (const path of [`/projects/${other.project.id}`, other.at, `/groups/${group.id}/access_tokens`])
      expect([path, (await bot.get(path)).status]).toEqual([path, path.startsWith('/groups') ? 403 : 404])
    expect((await bot.get('/projects?membership=true')).body.map(({ id }: { id: number }) => id)).toEqual([one.project.id])
    // A fork in the same group is another project.
    const fork = await forge.project({ group })
    await forge.as(forge.root).post(`/projects/${fork.id}/fork/${one.project.id}`)
    expect((await bot.get(`/projects/${fork.id}`)).status).toBe(404)
  })

  test('of a group reaches all below it, also what is moved there later, and not what leaves', async () => {
    const { bot } = await create(`/groups/${group.id}/access_tokens`)
    const deep = await forge.project({ group: await forge.group({ parent: group }) })
    const elsewhere = await forge.project()
    const seen = async (id: number) => (await bot.get(`/projects/${id}/repository/tree`)).status
    expect([await seen(deep.id), await seen(elsewhere.id)]).toEqual([200, 404])
    await forge.as(forge.root).post(`/groups/${group.id}/projects/${elsewhere.id}`)
    expect(await seen(elsewhere.id)).toBe(200)
    await forge.as(forge.root).post(`/groups/${(await forge.group()).id}/projects/${elsewhere.id}`)
    expect(await seen(elsewhere.id)).toBe(404)
  })

  test('stays with a project that is moved, and lives on when its maker is blocked, leaves or is deleted', async () => {
    const maker = await forge.user()
    const project = await forge.project({ group, maintainer: maker })
    const { bot } = await create(`/projects/${project.id}/access_tokens`, wanted, maker)
    const root = forge.as(forge.root)
    const serves = async () => (await bot.get(`/projects/${project.id}/repository/tree`)).status === 200
    await root.post(`/groups/${(await forge.group()).id}/projects/${project.id}`)
    expect(await serves()).toBe(true)
    await root.post(`/users/${maker.id}/block`)
    expect(await serves()).toBe(true)
    await root.delete(`/projects/${project.id}/members/${maker.id}`)
    await root.delete(`/users/${maker.id}`)
    expect(await serves()).toBe(true)
  })

  test('goes at once with its project or group, and its bot user soon after', async () => {
    const parent = await forge.group({ owner })
    const project = await forge.project({ group: parent })
    const made = [await create(`/projects/${project.id}/access_tokens`), await create(`/groups/${parent.id}/access_tokens`)]
    for (const { bot } of made) expect((await bot.get('/user')).status).toBe(200)
    await forge.as(forge.root).delete(`/groups/${parent.id}`)
    for (const { bot, shown } of made) {
      expect((await bot.get('/user')).status).toBe(401)
      await removeBotsJob.handle(forge.app, {})
      expect(await userRow(shown.user_id)).toBeUndefined()
    }
  })

  test('of an external user sees no more than they do', async () => {
    const external = await forge.user({ external: true })
    const project = await forge.project({ group, maintainer: external })
    const internal = await forge.project({ visibility: 'internal' })
    const { bot } = await create(`/projects/${project.id}/access_tokens`, wanted, external)
    expect((await bot.get(`/projects/${internal.id}`)).status).toBe(404)
  })

  test('needs no acceptance of terms, which its bot could not give', async () => {
    const { project, at } = await projectWithTokens()
    const { bot, token } = await create(at)
    await writeSettings(forge.app.db, { enforce_terms: true, terms: 'Be kind' })
    const remote = await forge.remote(project, { ...owner, token })
    const answers = [(await bot.get('/user')).status, (await tryGit(await forge.folder(), 'ls-remote', remote)).code]
    await forge.app.db.deleteFrom('settings').execute()
    expect(answers).toEqual([200, 0])
  })
})

describe('nobody creates one', () => {
  test.each([
    [{ scopes: ['api'] }, { error: 'name is missing' }],
    [{ ...wanted, name: '' }, { message: { name: ["can't be blank"] } }],
    [{ ...wanted, name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ ...wanted, name: 'a\u0007b' }, { message: { name: ['is invalid'] } }],
    [{ ...wanted, name: 'a\nb' }, { message: { name: ['is invalid'] } }],
    [{ ...wanted, name: 'a\0b' }, { error: 'name is invalid' }],
    [{ ...wanted, scopes: [] }, { message: { scopes: ["can't be blank"] } }],
    [{ ...wanted, scopes: ['sudo'] }, { message: { scopes: ['can only contain available scopes'] } }],
    [{ ...wanted, scopes: ['read_user'] }, { message: { scopes: ['can only contain available scopes'] } }],
    [{ ...wanted, scopes: ['admin_mode'] }, { message: { scopes: ['can only contain available scopes'] } }],
    [{ ...wanted, access_level: 50 }, { message: { access_level: ['is not included in the list'] } }],
    [{ ...wanted, access_level: 35 }, { message: { access_level: ['is not included in the list'] } }],
    [{ ...wanted, access_level: 'all' }, { error: 'access_level is invalid' }],
    [{ ...wanted, expires_at: '2030-02-30' }, { error: expect.stringMatching(/^expires_at /) }],
  ])('with %j', async (body, refusal) => {
    const { at } = await projectWithTokens()
    const before = await rowCounts()
    const { status, body: answer } = await forge.as(owner).post(at, body)
    expect([status, answer]).toEqual([400, refusal])
    expect(await rowCounts()).toEqual(before)
  })

  test('without the rights: maintainers of a group have none there, and no token has one that is not of a person', async () => {
    const { project, at } = await projectWithTokens()
    const developer = await forge.user()
    await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: developer.id, access_level: 30 })
    const before = await rowCounts()
    expect((await forge.as(developer).post(at, wanted)).status).toBe(403)
    expect((await forge.as(maintainer).post(`/groups/${group.id}/access_tokens`, wanted)).status).toBe(403)
    expect(await rowCounts()).toEqual(before)
    const narrow = forge.as(owner, { token: await forge.token(owner, { scopes: ['read_api', 'write_repository', 'self_rotate'] }) })
    expect((await narrow.post(at, wanted)).body.error).toBe('insufficient_scope')
    expect((await forge.as(owner).post(`/groups/${group.id}/access_tokens`, { ...wanted, access_level: 50 })).status).toBe(201)
    expect((await forge.as(maintainer).post(at, { name: 'x', scopes: ['api'] })).body.access_level).toBe(40)
  })
})

describe('a bot user', () => {
  test('creates no tokens, rotates no other, and adds no keys, addresses or memberships', async () => {
    const { project, at } = await projectWithTokens()
    const { shown: other } = await create(at)
    const { bot, shown } = await create(at, { ...wanted, access_level: 40 })
    const root = forge.as(forge.root)
    const opened = await forge.project({ visibility: 'public' })
    await forge.app.db.updateTable('projects').set({ request_access_enabled: true }).where('id', '=', opened.id).execute()
    const before = await rowCounts()
    for (const [path, body] of [
      [at, wanted],
      [`${at}/${other.id}/rotate`, {}],
      [`/projects/${project.id}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] }],
      [`/projects/${project.id}/deploy_keys`, { title: 'x', key: publicKey() }],
      [`/projects/${project.id}/deploy_keys/1/enable`, {}],
      ['/user/personal_access_tokens', { name: 'x', scopes: ['api'] }],
      [`/personal_access_tokens/${shown.id}/rotate`, {}],
      ['/user/keys', { title: 'x', key: publicKey() }],
      ['/user/gpg_keys', { key: gpgKey() }],
      ['/user/emails', { email: 'bot@example.com' }],
      [`/projects/${opened.id}/access_requests`, {}],
      ['/groups', { name: 'x', path: 'of-a-bot' }],
    ] as const)
      expect([path, (await bot.post(path, body)).status]).toEqual([path, 403])
    expect((await bot.post('/projects', { name: 'own' })).body).toEqual({ message: { namespace: ['is not valid'] } })
    // Nor do administrators give it any.
    for (const [path, body] of [
      [`/users/${shown.user_id}/personal_access_tokens`, { name: 'x', scopes: ['api'] }],
      [`/users/${shown.user_id}/impersonation_tokens`, { name: 'x', scopes: ['api'] }],
      [`/users/${shown.user_id}/keys`, { title: 'x', key: publicKey() }],
      [`/users/${shown.user_id}/gpg_keys`, { key: gpgKey() }],
      [`/users/${shown.user_id}/emails`, { email: 'bot@example.com' }],
    ] as const)
      expect([path, (await root.post(path, body)).status]).toEqual([path, 403])
    expect((await root.put(`/users/${shown.user_id}`, { password: 'a long password', admin: true })).status).toBe(403)
    expect((await root.post(`/projects/${opened.id}/members`, { user_id: shown.user_id, access_level: 30 })).status).toBe(404)
    expect(await rowCounts()).toEqual(before)
    expect(await userRow(shown.user_id)).toMatchObject({ password_hash: null, admin: false })
  })

  test('is a member that nobody changes or removes, other than by its token', async () => {
    const { project, at } = await projectWithTokens()
    const { shown, bot } = await create(at)
    const member = `/projects/${project.id}/members/${shown.user_id}`
    for (const client of [forge.as(owner), bot])
      expect([(await client.delete(member)).status, (await client.delete(member)).body]).toEqual([403, forbidden])
    expect((await forge.as(owner).put(member, { access_level: 40 })).status).toBe(403)
    expect((await forge.as(owner).get(member)).body.access_level).toBe(30)
  })

  test('is never the owner that a group has to keep', async () => {
    const own = await forge.group({ owner })
    const root = forge.as(forge.root)
    // The forge makes root the first owner.
    await root.delete(`/groups/${own.id}/members/${forge.root.id}`)
    const { bot } = await create(`/groups/${own.id}/access_tokens`, { ...wanted, access_level: 50 })
    const left = await forge.as(owner).delete(`/groups/${own.id}/members/${owner.id}`)
    expect([left.status, left.body.message]).toEqual([403, '403 Forbidden - The last owner of a group cannot leave it'])
    expect((await root.delete(`/users/${owner.id}`)).status).toBe(409)
    // A subgroup that the bot creates has no owner of its own: the owners above it suffice.
    const made = await bot.post('/groups', { name: 'Below', path: 'below', parent_id: own.id })
    expect([made.status, (await root.get(`/groups/${made.body.id}/members`)).body]).toEqual([201, []])
  })

  test('is found by administrators, who can leave it out, and in no search of others', async () => {
    const { at } = await projectWithTokens()
    const { shown } = await create(at, { ...wanted, name: 'Needle' })
    const ids = async (client = forge.as(forge.root), query = '') =>
      (await client.get(`/users?search=needle${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids()).toEqual([shown.user_id])
    expect(await ids(forge.as(forge.root), '&without_project_bots=true')).toEqual([])
    expect(await ids(forge.as(forge.root), '&humans=true')).toEqual([])
    expect(await ids(forge.as(owner))).toEqual([])
    expect((await forge.as(owner).get(`/users/${shown.user_id}`)).body).toMatchObject({ bot: true })
    expect((await forge.as(owner).get(`/users/${shown.user_id}`)).body.email).toBeUndefined()
    expect((await forge.as(owner).get(`/users/${owner.id}`)).body.bot).toBe(false)
    expect((await forge.as(forge.root).get('/user/activities')).text).not.toContain('_bot_')
  })

  test('can be blocked by administrators, and acted as by sudo', async () => {
    const { at } = await projectWithTokens()
    const { shown, bot } = await create(at)
    const root = forge.as(forge.root)
    const acting = forge.as(forge.root, { headers: { sudo: String(shown.user_id) } })
    expect((await acting.get('/user')).body.id).toBe(shown.user_id)
    expect((await acting.post(`${at}/self/rotate`)).status).toBe(404)
    await root.post(`/users/${shown.user_id}/block`)
    expect((await bot.get('/user')).status).toBe(403)
    await root.post(`/users/${shown.user_id}/unblock`)
    expect((await bot.get('/user')).status).toBe(200)
  })
})

describe('the end of a token', () => {
  test('by revocation: the bot leaves and is blocked at once, stays listed for a month, and leaves its work to the Ghost User', async () => {
    const { project, at } = await projectWithTokens()
    const { shown, bot } = await create(at)
    const commit = {
      branch: 'bots',
      start_branch: 'main',
      commit_message: 'By a bot',
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    }
    expect((await bot.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
    const stale = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
    expect((await forge.as(owner).delete(`${at}/${shown.id}`, undefined, stale)).status).toBe(412)
    expect((await forge.as(owner).delete(`${at}/${shown.id}`)).status).toBe(204)
    const refused = await bot.get('/user')
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
    expect((await forge.as(owner).get(`/projects/${project.id}/members/${shown.user_id}`)).status).toBe(404)
    expect((await forge.as(owner).get(`${at}?state=inactive`)).body).toMatchObject([
      { id: shown.id, revoked: true, active: false, access_level: 30 },
    ])
    expect((await userRow(shown.user_id))?.state).toBe('blocked')
    expect((await forge.as(owner).delete(`${at}/${shown.id}`)).status).toBe(204)
    await removeBotsJob.handle(forge.app, {})
    expect((await userRow(shown.user_id))?.id).toBe(shown.user_id)
    const long_ago = new Date(Date.now() - 31 * 86_400_000).toISOString()
    await forge.app.db.updateTable('access_tokens').set({ revoked_at: long_ago }).where('id', '=', shown.id).execute()
    await removeBotsJob.handle(forge.app, {})
    expect(await userRow(shown.user_id)).toBeUndefined()
    const authors = await forge.app.db.selectFrom('events').select('author_id').where('project_id', '=', project.id).execute()
    expect(authors.map(({ author_id }) => author_id)).toContain((await ghostUser(forge.app)).id)
    expect(authors.map(({ author_id }) => author_id)).not.toContain(shown.user_id)
  })

  test('by its date: it is refused from that day on, the bot leaves, and a month later it is gone', async () => {
    const { project, at } = await projectWithTokens()
    const { shown, bot } = await create(at, { ...wanted, expires_at: day(0) })
    const refused = await bot.get('/user')
    expect([refused.status, refused.body.error_description]).toEqual([401, expect.stringContaining('expired')])
    await removeExpiredJob.handle(forge.app, {})
    expect((await forge.as(owner).get(`/projects/${project.id}/members/${shown.user_id}`)).status).toBe(404)
    const late = await forge.as(owner).post(`${at}/${shown.id}/rotate`)
    expect([late.status, late.body]).toEqual([400, { message: '400 Bad request - Token has expired' }])
    await removeBotsJob.handle(forge.app, {})
    expect(await userRow(shown.user_id)).toBeDefined()
    await forge.app.db
      .updateTable('access_tokens')
      .set({ expires_on: day(-31) })
      .where('id', '=', shown.id)
      .execute()
    await removeBotsJob.handle(forge.app, {})
    expect(await userRow(shown.user_id)).toBeUndefined()
  })

  test('by itself, with any scope', async () => {
    const { at } = await projectWithTokens()
    const { bot, shown } = await create(at, { ...wanted, scopes: ['read_repository'] })
    expect((await bot.delete('/personal_access_tokens/self')).status).toBe(204)
    expect((await userRow(shown.user_id))?.state).toBe('blocked')
  })

  test('by a request about another project, group or person, never', async () => {
    const [one, other] = [await projectWithTokens(), await projectWithTokens()]
    const { shown } = await create(one.at)
    const { body: personal } = await forge.as(owner).post('/user/personal_access_tokens', { name: 'x', scopes: ['api'] })
    const absent = { message: '404 Access Token Not Found' }
    for (const path of [
      `${other.at}/${shown.id}`,
      `/groups/${group.id}/access_tokens/${shown.id}`,
      `${one.at}/${personal.id}`,
      `${one.at}/999999`,
    ]) {
      for (const answer of [
        await forge.as(owner).get(path),
        await forge.as(owner).delete(path),
        await forge.as(owner).post(`${path}/rotate`),
      ])
        expect([path, answer.status, answer.body]).toEqual([path, 404, absent])
    }
    expect((await forge.as(owner).get(`${one.at}/abc`)).body).toEqual({ error: 'token_id is invalid' })
    expect((await forge.as(owner).get(`/personal_access_tokens/${shown.id}`)).status).toBe(404)
    expect((await forge.as(owner).get(`${one.at}/${shown.id}`)).body.active).toBe(true)
  })
})

describe('rotation', () => {
  test('by a maintainer gives the same bot another token for a week, or until a day', async () => {
    const { project, at } = await projectWithTokens()
    const { shown, bot, token } = await create(at, { ...wanted, expires_at: day(90) })
    const rotated = await forge.as(maintainer).post(`${at}/${shown.id}/rotate`)
    expect([rotated.status, rotated.body]).toMatchObject([
      200,
      { name: 'machine', user_id: shown.user_id, scopes: ['api'], access_level: 30, expires_at: day(7), active: true, last_used_at: null },
    ])
    expect(rotated.body.token).not.toBe(token)
    expect((await bot.get('/user')).status).toBe(401)
    expect((await forge.as(owner, { token: rotated.body.token }).get('/user')).body.id).toBe(shown.user_id)
    const again = await forge.as(owner).post(`${at}/${rotated.body.id}/rotate`, { expires_at: day(30) })
    expect(again.body.expires_at).toBe(day(30))
    expect((await forge.as(owner).get(`/projects/${project.id}/members/${shown.user_id}`)).body.expires_at).toBe(day(30))
    expect((await forge.as(owner).get(`${at}?state=active`)).body.map(({ id }: { id: number }) => id)).toEqual([again.body.id])
  })

  test('by itself takes the scope api or self_rotate, and is for tokens of that very place', async () => {
    const [one, other] = [await projectWithTokens(), await projectWithTokens()]
    const { bot } = await create(one.at, { ...wanted, scopes: ['self_rotate', 'read_repository'] })
    expect((await bot.get(`/projects/${one.project.id}`)).status).toBe(403)
    const rotated = await bot.post(`${one.at}/self/rotate`)
    expect([rotated.status, rotated.body]).toMatchObject([200, { scopes: ['read_repository', 'self_rotate'], expires_at: null }])
    const next = forge.as(owner, { token: rotated.body.token })
    expect((await next.post('/personal_access_tokens/self/rotate')).status).toBe(200)
    const { bot: reading } = await create(one.at, { ...wanted, scopes: ['read_api'] })
    expect((await reading.post(`${one.at}/self/rotate`)).body.error).toBe('insufficient_scope')
    const { bot: foreign } = await create(other.at)
    expect((await foreign.post(`${one.at}/self/rotate`)).status).toBe(404)
    expect((await forge.as(owner).post(`${one.at}/self/rotate`)).status).toBe(403)
  })

  test('of a token that was rotated before ends all that go back to it: somebody has a copy', async () => {
    const { at } = await projectWithTokens()
    const { shown } = await create(at)
    const { body: second } = await forge.as(owner).post(`${at}/${shown.id}/rotate`)
    const { body: third } = await forge.as(owner).post(`${at}/${second.id}/rotate`)
    const { bot: unrelated } = await create(at)
    const reused = await forge.as(owner).post(`${at}/${shown.id}/rotate`)
    expect([reused.status, reused.body]).toEqual([400, { message: '400 Bad request - Token was already revoked' }])
    expect((await forge.as(owner, { token: third.token }).get('/user')).status).toBe(401)
    expect((await unrelated.get('/user')).status).toBe(200)
  })

  test('of two concurrent rotations one wins', async () => {
    const { at } = await projectWithTokens()
    const { shown } = await create(at)
    const answers = await Promise.all([1, 2].map(() => forge.as(owner).post(`${at}/${shown.id}/rotate`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })
})

test('lists are filtered and sorted, at two statements whatever their length', async () => {
  const { at } = await projectWithTokens()
  for (const [name, expires_at] of [
    ['beta', day(9)],
    ['alpha', day(3)],
    ['gamma', null],
  ] as const)
    await create(at, { ...wanted, name, expires_at })
  const names = async (query: string) => (await forge.as(owner).get(`${at}?${query}`)).body.map(({ name }: { name: string }) => name)
  expect(await names('')).toEqual(['beta', 'alpha', 'gamma'])
  expect(await names('sort=name_asc')).toEqual(['alpha', 'beta', 'gamma'])
  expect(await names('sort=created_desc')).toEqual(['gamma', 'alpha', 'beta'])
  expect(await names('search=ALPH')).toEqual(['alpha'])
  expect(await names(`expires_before=${day(5)}`)).toEqual(['alpha'])
  expect(await names(`expires_after=${day(5)}`)).toEqual(['beta'])
  expect(await names(`created_after=${day(1)}`)).toEqual([])
  expect(await names(`created_before=${day(1)}&revoked=false&state=active`)).toEqual(['beta', 'alpha', 'gamma'])
  expect(await names(`last_used_after=${day(-1)}`)).toEqual([])
  const list = () => forge.as(owner).get(at)
  await list()
  const { statements } = await forge.cost(list)
  await create(at)
  expect((await forge.cost(list)).statements).toBe(statements)
})

test(
  'a project that replaces another has its tokens, and an archive has none',
  inFullRun('3 s of processor. It goes at once with its project, above; an archive has no data of its instance (`round-trip.test.ts`).'),
  async () => {
    const { project, at } = await projectWithTokens()
    const { bot, token } = await create(at)
    const { body: deploy } = await forge.as(owner).post(`/projects/${project.id}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] })
    await forge.as(owner).post(`/projects/${project.id}/export`)
    await forge.drain()
    const archive = await forge.as(owner).get(`/projects/${project.id}/export/download`)
    expect(archive.status).toBe(200)
    const folder = await forge.folder()
    await writeFile(`${folder}/archive.tar.gz`, archive.bytes)
    const content = execFileSync('tar', ['-xzOf', `${folder}/archive.tar.gz`], { maxBuffer: 1024 ** 3 }).toString('latin1')
    const secrets = [token, deploy.token, digestOf(token), digestOf(deploy.token)]
    expect(secrets.filter((secret) => content.includes(secret))).toEqual([])
    const fresh = await forge.project({ group, files: null })
    await forge.app.db.transaction().execute((tx) => replaceProject(tx, project.id, fresh.id))
    expect((await bot.get(`/projects/${fresh.id}`)).status).toBe(200)
    expect((await forge.as(owner).get(`/projects/${fresh.id}/deploy_tokens`)).body).toMatchObject([{ id: deploy.id }])
  },
)

test('a bot pushes, creates projects in its group by the API, and by a push only with the scope api', async () => {
  const { token } = await create(`/groups/${group.id}/access_tokens`, { ...wanted, access_level: 40 })
  const { token: narrow } = await create(`/groups/${group.id}/access_tokens`, { ...wanted, scopes: ['write_repository'], access_level: 40 })
  const { project } = await projectWithTokens()
  const tree = await forge.folder()
  await git(tree, 'clone', '--quiet', await forge.remote(project, { ...owner, token: narrow }), '.')
  await git(tree, 'commit', '--allow-empty', '--message', 'By a bot')
  await git(tree, 'push', '--quiet', 'origin', 'HEAD:from-a-bot')
  const target = (path: string, secret: string) => forge.remote(`${group.full_path}/${path}`, { ...owner, token: secret })
  expect((await tryGit(tree, 'push', await target('pushed-narrow', narrow), 'HEAD:main')).stderr).toContain('could not be found')
  expect((await tryGit(tree, 'push', await target('pushed', token), 'HEAD:main')).code).toBe(0)
  const made = await forge.as(owner, { token }).post('/projects', { name: 'made', namespace_id: group.id })
  expect(made.status).toBe(201)
})
