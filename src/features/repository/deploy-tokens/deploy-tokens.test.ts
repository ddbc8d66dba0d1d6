/** Deploy tokens: who creates one, what it opens and what it never does. */
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { basicOf, lfsClient, uniqueFile } from '../../../../test/support/fixtures/lfs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { tryGit } from '../../../../test/support/git.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { digestOf, newToken } from '../../../access/tokens.ts'
import { storeLargeFile } from '../lfs/lfs.service.ts'

let forge: Forge
let owner: TestUser
let maintainer: TestUser
let group: LocatedGroup
const wanted = { name: 'machine', scopes: ['read_repository'] }
const yesterday = new Date(Date.now() - 86_400_000).toISOString()

beforeAll(async () => {
  forge = await testForge()
  ;[owner, maintainer] = await Promise.all([forge.user(), forge.user()])
  group = await forge.group({ owner, maintainer })
})

interface Made {
  id: number
  username: string
  token: string
}

async function create(at: string, body: object = wanted): Promise<Made> {
  const answer = await forge.as(owner).post(`${at}/deploy_tokens`, body)
  expect([answer.status, answer.text]).toEqual([201, expect.anything()])
  return answer.body
}

let address = 0

/** The status of a fetch, from a network of its own. */
async function fetching(
  project: TestProject | string,
  { username, token }: Omit<Made, 'id'>,
  service = 'git-upload-pack',
): Promise<number> {
  const path = typeof project === 'string' ? project : project.full_path
  const headers = { authorization: basicOf(username, token), 'x-forwarded-for': `198.51.100.${++address % 250}` }
  return (await forge.anonymous.get(`//${path}.git/info/refs?service=${service}`, { headers })).status
}

describe('a deploy token', () => {
  test.each(['project', 'group'])('of a %s is seen once, and listed without its secret', async (kind) => {
    const at = kind === 'project' ? `/projects/${(await forge.project({ group })).id}` : `/groups/${group.id}`
    const { token, ...shown } = await create(at, { ...wanted, expires_at: '2030-01-01', scopes: ['read_repository', 'read_registry'] })
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'machine',
      username: `gitstead+deploy-token-${shown.id}`,
      expires_at: '2030-01-01T00:00:00.000Z',
      revoked: false,
      expired: false,
      scopes: ['read_repository', 'read_registry'],
    })
    expect(token).toMatch(/^gstdt-[0-9a-f]{40}$/)
    const answers = [
      await forge.as(maintainer).get(`${at}/deploy_tokens/${shown.id}`),
      await forge.as(maintainer).get(`${at}/deploy_tokens`),
      await forge.as(forge.root).get('/deploy_tokens?per_page=100'),
    ]
    expect(answers.map(({ body }) => (Array.isArray(body) ? body.at(-1) : body))).toEqual([shown, shown, shown])
    expect(answers.map(({ text }) => text).join()).not.toContain(token)
    const row = await forge.app.db.selectFrom('deploy_tokens').selectAll().where('id', '=', shown.id).executeTakeFirstOrThrow()
    expect(row.digest).toBe(digestOf(token))
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('with a name of its own, empty fields as some clients send them, and scopes in one text', async () => {
    const at = `/projects/${(await forge.project({ group })).id}`
    const named = await create(at, { ...wanted, username: 'build+1.a_b-c', scopes: 'read_repository,read_package_registry' })
    expect(named).toMatchObject({ username: 'build+1.a_b-c', scopes: ['read_repository', 'read_package_registry'] })
    const empty = await create(at, { ...wanted, username: '', expires_at: '' })
    expect(empty).toMatchObject({ username: `gitstead+deploy-token-${empty.id}`, expires_at: null })
    await create(at, { ...wanted, expires_at: yesterday })
    const list = async (query: string) => (await forge.as(owner).get(`${at}/deploy_tokens?${query}`)).body
    expect((await list('')).map(({ expired }: { expired: boolean }) => expired)).toEqual([false, false, true])
    expect(await list('active=true')).toHaveLength(2)
    const reading = () => forge.as(owner).get(`${at}/deploy_tokens`)
    await reading()
    const { statements } = await forge.cost(reading)
    await create(at)
    expect((await forge.cost(reading)).statements).toBe(statements)
  })

  test.each([
    [{ scopes: ['read_repository'] }, { error: 'name is missing' }],
    [{ ...wanted, name: ' ' }, { message: { name: ["can't be blank"] } }],
    [{ ...wanted, name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ ...wanted, name: 'a\u001bb' }, { message: { name: ['is invalid'] } }],
    [{ ...wanted, name: 'a\0b' }, { error: 'name is invalid' }],
    [{ name: 'x' }, { message: { scopes: ["can't be blank"] } }],
    [{ ...wanted, scopes: [] }, { message: { scopes: ["can't be blank"] } }],
    [{ ...wanted, scopes: ['write_repository'] }, { message: { scopes: ['can only contain available scopes'] } }],
    [{ ...wanted, scopes: ['api'] }, { message: { scopes: ['can only contain available scopes'] } }],
    [{ ...wanted, username: 'a b' }, { message: { username: [expect.stringMatching(/^can contain only/)] } }],
    [{ ...wanted, username: 'a:b' }, { message: { username: [expect.stringMatching(/^can contain only/)] } }],
    [{ ...wanted, username: 'x'.repeat(256) }, { message: { username: ['is too long (maximum is 255 characters)'] } }],
    [{ ...wanted, expires_at: 'soon' }, { error: expect.stringMatching(/^expires_at /) }],
  ])('is not created with %j', async (body, refusal) => {
    const at = `/projects/${(await forge.project({ group, files: null })).id}/deploy_tokens`
    const { status, body: answer } = await forge.as(owner).post(at, body)
    expect([status, answer]).toEqual([400, refusal])
    expect((await forge.as(owner).get(at)).body).toEqual([])
  })

  test('of a group is created and deleted by owners, and seen by maintainers', async () => {
    const { id } = await create(`/groups/${group.id}`)
    const at = `/groups/${group.id}/deploy_tokens`
    expect((await forge.as(maintainer).post(at, wanted)).status).toBe(403)
    expect((await forge.as(maintainer).delete(`${at}/${id}`)).status).toBe(403)
    expect((await forge.as(maintainer).get(`${at}/${id}`)).status).toBe(200)
    const stale = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
    expect((await forge.as(owner).delete(`${at}/${id}`, undefined, stale)).status).toBe(412)
    expect((await forge.as(owner).delete(`${at}/${id}`)).status).toBe(204)
    const gone = await forge.as(owner).get(`${at}/${id}`)
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Deploy Token Not Found' }])
  })

  test('is found below its own project or group alone', async () => {
    const [one, other] = [await forge.project({ group, files: null }), await forge.project({ group, files: null })]
    const { id } = await create(`/projects/${one.id}`)
    for (const path of [`/projects/${other.id}/deploy_tokens/${id}`, `/groups/${group.id}/deploy_tokens/${id}`])
      for (const answer of [await forge.as(owner).get(path), await forge.as(owner).delete(path)])
        expect([answer.status, answer.body]).toEqual([404, { message: '404 Deploy Token Not Found' }])
    expect((await forge.as(owner).get(`/projects/${one.id}/deploy_tokens/${id}`)).status).toBe(200)
  })
})

describe('over git', () => {
  test('it opens its project, by its own user name only, and no other: as if there were none', async () => {
    const [own, other] = [await forge.project({ group }), await forge.project({ group, visibility: 'private' })]
    const made = await create(`/projects/${own.id}`)
    const folder = await forge.folder()
    const remote = (await forge.remote(own)).replace('://', `://${encodeURIComponent(made.username)}:${made.token}@`)
    expect((await tryGit(folder, 'clone', remote, 'copy')).code).toBe(0)
    expect((await tryGit(`${folder}/copy`, 'push', 'origin', 'HEAD:refs/heads/new')).stderr).toContain('Deploy tokens cannot push.')
    expect([await fetching(own, made), await fetching(other, made), await fetching('nobody/nothing', made)]).toEqual([200, 404, 404])
    expect(await fetching(own, { ...made, username: 'git' })).toBe(401)
    expect(await fetching(own, { ...made, username: '' })).toBe(401)
    const internal = await forge.project({ visibility: 'internal' })
    const open = await forge.project({ visibility: 'public' })
    expect([await fetching(internal, made), await fetching(open, made)]).toEqual([404, 200])
    for (const project of [own, other, open]) expect(await fetching(project, made, 'git-receive-pack')).toBe(project === other ? 404 : 403)
  })

  test('of a group it opens all projects below, as they come and go', async () => {
    const parent = await forge.group({ owner })
    const made = await create(`/groups/${parent.id}`)
    const deep = await forge.project({ group: await forge.group({ parent }) })
    const guest = await forge.project()
    expect([await fetching(deep, made), await fetching(guest, made)]).toEqual([200, 404])
    const shared = await forge.project()
    await forge.as(forge.root).post(`/projects/${shared.id}/share`, { group_id: parent.id, group_access: 30 })
    expect(await fetching(shared, made)).toBe(404)
    await forge.as(forge.root).post(`/groups/${parent.id}/projects/${guest.id}`)
    expect(await fetching(`${parent.full_path}/${guest.path}`, made)).toBe(200)
    // A former path leads there too, by a redirect, for whoever may see where.
    expect(await fetching(guest, made)).toBe(301)
    await forge.as(forge.root).post(`/groups/${(await forge.group()).id}/projects/${guest.id}`)
    expect([await fetching(guest, made), await fetching(`${parent.full_path}/${guest.path}`, made)]).toEqual([404, 404])
    await forge.as(forge.root).delete(`/groups/${parent.id}`)
    expect(await fetching(deep, made)).toBe(401)
    expect(await forge.app.db.selectFrom('deploy_tokens').select('id').where('id', '=', made.id).execute()).toEqual([])
  })

  test('it opens an archived project, one made private, and a moved one; a fork is another project', async () => {
    const project = await forge.project({ group: await forge.group({ visibility: 'public', owner }), visibility: 'public' })
    const made = await create(`/projects/${project.id}`)
    const root = forge.as(forge.root)
    await root.put(`/projects/${project.id}`, { visibility: 'private' })
    expect(await fetching(project, made)).toBe(200)
    await root.post(`/projects/${project.id}/archive`)
    expect(await fetching(project, made)).toBe(200)
    const fork = await forge.project({ group })
    await root.post(`/projects/${fork.id}/fork/${project.id}`)
    expect(await fetching(fork, made)).toBe(404)
    await root.put(`/projects/${project.id}`, { path: 'moved-away' })
    expect(await fetching(project, made)).toBe(301)
  })

  test('expired, deleted, or without the scope it opens nothing; a blocked creator doesn’t matter', async () => {
    const maker = await forge.user()
    const project = await forge.project({ group, maintainer: maker })
    const at = `/projects/${project.id}`
    expect(await fetching(project, await create(at, { ...wanted, expires_at: yesterday }))).toBe(401)
    expect(await fetching(project, await create(at, { ...wanted, scopes: ['read_registry'] }))).toBe(403)
    const { body: made } = await forge.as(maker).post(`${at}/deploy_tokens`, wanted)
    await forge.as(forge.root).post(`/users/${maker.id}/block`)
    expect(await fetching(project, made)).toBe(200)
    await forge.as(owner).delete(`${at}/deploy_tokens/${made.id}`)
    expect(await fetching(project, made)).toBe(401)
  })
})

test('it downloads large files of its project and sees locks, and uploads, locks and unlocks none', async () => {
  const [own, other] = [await forge.project({ group }), await forge.project({ group })]
  const file = uniqueFile()
  for (const { id } of [own, other]) await storeLargeFile(forge.app, id, Readable.from([file.content]), file)
  const made = await create(`/projects/${own.id}`)
  const header = basicOf(made.username, made.token)
  const lfs = lfsClient(forge, own, header)
  const { body } = await lfs.batch('download', file)
  expect(body.objects[0].actions.download.header).toEqual({ Authorization: header })
  expect((await lfs.get(file.oid)).bytes.equals(file.content)).toBe(true)
  expect((await lfs.send('GET', 'locks')).body).toEqual({ locks: [] })
  const writes = [
    await lfs.batch('upload', uniqueFile()),
    await lfs.put(uniqueFile().content),
    await lfs.send('POST', 'locks', { path: 'a.bin' }),
    await lfs.send('POST', 'locks/verify', {}),
    await lfs.send('POST', 'objects/verify', { oid: file.oid, size: file.size }),
  ]
  expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  const elsewhere = lfsClient(forge, other, header)
  expect([(await elsewhere.batch('download', file)).status, (await elsewhere.get(file.oid)).status]).toEqual([404, 404])
})

test('it is no credential of the API, in any header', async () => {
  const project = await forge.project({ group })
  const { token, username } = await create(`/projects/${project.id}`)
  for (const headers of [{ 'private-token': token }, { authorization: `Bearer ${token}` }] as Array<Record<string, string>>)
    for (const path of [
      `/projects/${project.id}`,
      '/version',
      `/projects/${project.id}/repository/archive`,
      '/personal_access_tokens/self',
    ])
      expect([path, (await forge.anonymous.get(path, { headers })).status]).toEqual([path, 401])
  const basic = { headers: { authorization: basicOf(username, token) } }
  expect((await forge.anonymous.get(`/projects/${project.id}`, basic)).status).toBe(404)
  const bearer = { headers: { authorization: `Bearer ${token}` } }
  expect((await forge.anonymous.get(`//${project.full_path}.git/info/refs?service=git-upload-pack`, bearer)).status).toBe(401)
})

test('too many wrong ones from a network get 429, without blocking passwords or valid tokens', async () => {
  const password = 'correct-horse-battery'
  const user = await forge.user({ password })
  const project = await forge.project({ group, reporter: user })
  const made = await create(`/projects/${project.id}`)
  const ask = (login: string, secret: string) =>
    forge.anonymous.get(`//${project.full_path}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: basicOf(login, secret), 'x-forwarded-for': '192.0.2.77' },
    })
  for (let guess = 0; guess < 10; guess += 1) expect((await ask(made.username, newToken('gstdt'))).status).toBe(401)
  const refused = await ask(made.username, newToken('gstdt'))
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
  expect((await ask(made.username, made.token)).status).toBe(200)
  expect((await ask(user.username, password)).status).toBe(200)
})

test('ten created at the same time are ten', async () => {
  const project = await forge.project({ group, files: null })
  const made = await Promise.all(Array.from({ length: 10 }, () => create(`/projects/${project.id}`)))
  expect(new Set(made.map(({ token }) => token)).size).toBe(10)
})
