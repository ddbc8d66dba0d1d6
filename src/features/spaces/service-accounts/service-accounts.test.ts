/** Service accounts: who creates one, where it may be a member, what its tokens reach, and how both end. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { digestOf } from '../../../access/tokens.ts'
import { removeBotsJob } from '../resource-tokens/resource-tokens.jobs.ts'

let forge: Forge
let owner: TestUser
beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

async function accountIn(place: string, body: object = {}, by = owner) {
  const answer = await forge.as(by).post(`${place}/service_accounts`, body)
  expect(answer.status).toBe(201)
  return answer.body as { id: number; username: string; name: string; email: string }
}

async function tokenOf(place: string, id: number, scopes = ['api']) {
  const { status, body } = await forge.as(owner).post(`${place}/service_accounts/${id}/personal_access_tokens`, { name: 'machine', scopes })
  expect(status).toBe(201)
  return body as { id: number; token: string }
}

describe('a service account of a group', () => {
  test('has a name of its own or a random one, is listed there, and is no person', async () => {
    const group = await forge.group({ owner })
    const at = `/groups/${group.id}`
    const plain = await accountIn(at)
    expect(plain).toEqual({
      id: expect.any(Number),
      name: 'Service account user',
      username: expect.stringMatching(new RegExp(`^service_account_group_${group.id}_[0-9a-f]{32}$`)),
      email: `${plain.username}@noreply.gitstead.test`,
    })
    const named = await accountIn(at, { name: 'Deploys', username: `deploys-${group.id}` })
    expect((await forge.as(owner).get(`${at}/service_accounts`)).body).toEqual([named, plain])
    expect((await forge.as(owner).get(`${at}/service_accounts?order_by=id&sort=asc`)).body).toEqual([plain, named])
    expect((await forge.as(forge.root).get(`/users/${named.id}`)).body).toMatchObject({ bot: true, username: `deploys-${group.id}` })
    expect((await forge.as(owner).get(`/users?search=deploys-${group.id}`)).body).toEqual([])
    const renamed = await forge.as(owner).patch(`${at}/service_accounts/${plain.id}`, { name: 'Builds' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...plain, name: 'Builds' }])
  })

  test('is refused for names that are taken or can’t be, and for others than owners', async () => {
    const [group, maintainer] = [await forge.group({ owner }), await forge.user()]
    await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 })
    const at = `/groups/${group.id}/service_accounts`
    const status = async (body: object, by = owner) => (await forge.as(by).post(at, body)).status
    expect(await status({ username: owner.username })).toBe(409)
    expect(await status({ username: group.path.toUpperCase() })).toBe(409)
    for (const wrong of [{ username: '../up' }, { username: 'a'.repeat(256) }, { username: 'api' }, { name: ' ' }, { name: 'a\nb' }])
      expect([wrong, await status(wrong)]).toEqual([wrong, 400])
    expect([await status({}, maintainer), await status({}, await forge.user())]).toEqual([403, 404])
    const taken = `taken-${group.id}`
    const answers = await Promise.all([1, 2, 3].map(() => status({ username: taken })))
    expect(answers.sort()).toEqual([201, 409, 409])
  })

  test('reaches nothing before it is a member, then what its level gives, by API and git', async () => {
    const group = await forge.group({ owner })
    const project = await forge.project({ group })
    const at = `/groups/${group.id}`
    const account = await accountIn(at)
    const { token } = await tokenOf(at, account.id)
    const machine = forge.as(owner, { token })
    expect((await machine.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await forge.as(owner).post(`${at}/members`, { user_id: account.id, access_level: 30 })).status).toBe(201)
    expect((await machine.get(`/projects/${project.id}/repository/tree`)).status).toBe(200)
    expect((await machine.get('/user')).body).toMatchObject({ id: account.id, bot: true })
    await git(await forge.folder(), 'ls-remote', await forge.remote(project, { ...owner, token }))
    expect((await machine.post(`${at}/members`, { user_id: owner.id, access_level: 30 })).status).toBe(403)
    expect((await forge.as(owner).put(`${at}/members/${account.id}`, { access_level: 10 })).status).toBe(200)
    expect((await forge.as(owner).delete(`${at}/members/${account.id}`)).status).toBe(204)
    expect((await machine.get(`/projects/${project.id}`)).status).toBe(404)
  })

  test('is a member of its group and what is below it, and nowhere else', async () => {
    const [group, other] = [await forge.group({ owner }), await forge.group({ owner })]
    const below = await forge.group({ owner, parent: group })
    const [inside, outside] = [await forge.project({ group: below }), await forge.project({ group: other })]
    const { id } = await accountIn(`/groups/${group.id}`)
    const join = async (place: string) => (await forge.as(owner).post(`${place}/members`, { user_id: id, access_level: 20 })).status
    expect([await join(`/groups/${below.id}`), await join(`/projects/${inside.id}`)]).toEqual([201, 201])
    expect([await join(`/groups/${other.id}`), await join(`/projects/${outside.id}`)]).toEqual([400, 400])
    const ofProject = await accountIn(`/projects/${inside.id}`)
    const joinAs = async (place: string) =>
      (await forge.as(owner).post(`${place}/members`, { user_id: ofProject.id, access_level: 20 })).status
    expect([await joinAs(`/projects/${inside.id}`), await joinAs(`/groups/${below.id}`)]).toEqual([201, 400])
  })

  test('of another group is not found, nor are its tokens', async () => {
    const [group, other] = [await forge.group({ owner }), await forge.group({ owner })]
    const { id } = await accountIn(`/groups/${group.id}`)
    const { id: token_id } = await tokenOf(`/groups/${group.id}`, id)
    const elsewhere = `/groups/${other.id}/service_accounts`
    const as = forge.as(owner)
    expect((await as.delete(`${elsewhere}/${id}`)).status).toBe(404)
    expect((await as.get(`${elsewhere}/${id}/personal_access_tokens`)).status).toBe(404)
    const own = await accountIn(`/groups/${other.id}`)
    expect((await as.delete(`${elsewhere}/${own.id}/personal_access_tokens/${token_id}`)).status).toBe(404)
    expect((await as.post(`${elsewhere}/${owner.id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })).status).toBe(404)
  })

  test('goes with its group: its tokens reach nothing at once, and the account is removed soon after', async () => {
    const group = await forge.group({ owner })
    const account = await accountIn(`/groups/${group.id}`)
    await forge.as(forge.root).delete(`/groups/${group.id}`)
    expect((await forge.as(forge.root).get('/service_accounts?per_page=100')).body.map(({ id }: { id: number }) => id)).not.toContain(
      account.id,
    )
    await removeBotsJob.handle(forge.app, {})
    expect((await forge.as(forge.root).get(`/users/${account.id}`)).status).toBe(404)
  })
})

describe('a token of a service account', () => {
  test('is shown once, kept as a digest, listed, rotated and revoked; it never acts as others', async () => {
    const group = await forge.group({ owner })
    const at = `/groups/${group.id}`
    const { id } = await accountIn(at)
    const made = await tokenOf(at, id)
    const tokens = `${at}/service_accounts/${id}/personal_access_tokens`
    const as = forge.as(owner)
    const listed = await as.get(tokens)
    expect([listed.body.length, listed.text.includes(made.token)]).toEqual([1, false])
    const row = await forge.app.db.selectFrom('access_tokens').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow()
    expect([row.digest, JSON.stringify(row).includes(made.token)]).toEqual([digestOf(made.token), false])
    const rotated = await as.post(`${tokens}/${made.id}/rotate`)
    expect(rotated.status).toBe(200)
    const works = async (token: string) => (await forge.as(owner, { token }).get('/user')).status
    expect([await works(made.token), await works(rotated.body.token)]).toEqual([401, 200])
    expect((await as.delete(`${tokens}/${rotated.body.id}`)).status).toBe(204)
    expect(await works(rotated.body.token)).toBe(401)
    for (const scopes of [['sudo'], ['nonsense'], []]) expect((await as.post(tokens, { name: 'x', scopes })).status).toBe(400)
  })

  test('ends with the account, which a block stops and a deletion removes', async () => {
    const project = await forge.project({ maintainer: owner })
    const at = `/projects/${project.id}`
    const { id } = await accountIn(at)
    const { token } = await tokenOf(at, id)
    const works = async () => (await forge.as(owner, { token }).get('/user')).status
    await forge.as(forge.root).post(`/users/${id}/block`)
    expect(await works()).toBe(403)
    await forge.as(forge.root).post(`/users/${id}/unblock`)
    expect(await works()).toBe(200)
    expect((await forge.as(owner).delete(`${at}/service_accounts/${id}`)).status).toBe(204)
    expect(await works()).toBe(401)
  })
})

describe('service accounts of the instance', () => {
  test('are created, listed and renamed by administrators, get tokens from them, and join any group', async () => {
    const root = forge.as(forge.root)
    expect((await forge.as(owner).post('/service_accounts', {})).status).toBe(403)
    const account = (await root.post('/service_accounts', { name: 'Bridge' })).body
    expect(account.username).toMatch(/^service_account_[0-9a-f]{32}$/)
    expect((await root.get('/service_accounts?per_page=1')).body).toEqual([account])
    expect((await root.patch(`/service_accounts/${account.id}`, { username: `bridge-${account.id}` })).body.username).toBe(
      `bridge-${account.id}`,
    )
    expect((await root.patch(`/service_accounts/${owner.id}`, { name: 'x' })).status).toBe(404)
    const { body } = await root.post(`/users/${account.id}/personal_access_tokens`, { name: 'machine', scopes: ['read_api'] })
    expect((await forge.as(owner, { token: body.token }).get('/user')).body.id).toBe(account.id)
    expect((await root.post(`/users/${account.id}/personal_access_tokens`, { name: 'x', scopes: ['sudo'] })).status).toBe(400)
    const group = await forge.group({ owner })
    expect((await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: account.id, access_level: 20 })).status).toBe(201)
  })
})
