/** Access to the repository of a wiki, with each kind of credential. Reading a wiki that has no page leaves nothing behind. */
import { beforeAll, expect, test } from 'vitest'
import { publicKey } from '../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../test/support/forge.ts'
import { anonymous, type GitPrincipal } from '../access/principals.ts'
import { findWiki } from '../access/wikis.ts'
import { findDeployToken } from '../features/repository/deploy-tokens/deploy-tokens.ts'
import { admit, type Purpose } from './access/access.ts'

let forge: Forge
let owner: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
  project = await forge.project({ owner, visibility: 'public' })
  expect((await forge.as(owner).post(`/projects/${project.id}/wikis`, { title: 'home', content: 'Welcome' })).status).toBe(201)
})

const levelOfWiki = (wiki_access_level: string) => forge.as(owner).put(`/projects/${project.id}`, { wiki_access_level })

const enter = (principal: GitPrincipal, purpose: Purpose = 'read', path = `${project.full_path}.wiki`) =>
  admit(forge.app, principal, path, purpose, 'http').then(
    () => null,
    (error: Error) => error.message,
  )

/** The key that a maintainer of a project adds there. */
async function keyOf({ id }: TestProject, maker: TestUser): Promise<GitPrincipal> {
  const added = await forge.as(maker).post(`/projects/${id}/deploy_keys`, { title: 'Machine', key: publicKey() })
  const key = await forge.app.db.selectFrom('ssh_keys').selectAll().where('id', '=', added.body.id).executeTakeFirstOrThrow()
  return { kind: 'deploy-key', key, maker }
}

async function tokenOf({ id }: TestProject, maker: TestUser): Promise<GitPrincipal> {
  const { body } = await forge.as(maker).post(`/projects/${id}/deploy_tokens`, { name: 'Machine', scopes: ['read_repository'] })
  const token = await findDeployToken(forge.app.db, body.username, body.token)
  if (!token) throw new Error('the token is unknown')
  return { kind: 'deploy-token', token }
}

test('machines clone a wiki for members where they are enabled, and nowhere else, whoever created their key', async () => {
  const stranger = await forge.user()
  const elsewhere = await forge.project({ owner: stranger })
  const ownElsewhere = await forge.project({ owner })
  const here = [await keyOf(project, owner), await tokenOf(project, owner)]
  const strange = [await keyOf(elsewhere, stranger), await tokenOf(elsewhere, stranger), await keyOf(ownElsewhere, owner)]
  const refusal = 'You are not allowed to download this wiki.'

  await levelOfWiki('enabled')
  for (const principal of [...here, ...strange]) expect(await enter(principal)).toBe(null)
  await levelOfWiki('private')
  for (const principal of here) expect(await enter(principal)).toBe(null)
  for (const principal of strange) expect(await enter(principal)).toBe(refusal)
  await levelOfWiki('disabled')
  for (const principal of [...here, ...strange]) expect(await enter(principal)).toBe(refusal)
  await levelOfWiki('enabled')
})

test('a machine reads the code of projects where it is not enabled as nobody: at level 0', async () => {
  const stranger = await forge.user()
  const elsewhere = await forge.project({ owner: stranger })
  for (const principal of [await keyOf(elsewhere, stranger), await tokenOf(elsewhere, stranger)]) {
    expect((await admit(forge.app, principal, project.full_path, 'read', 'http')).level).toBe(0)
    expect((await admit(forge.app, principal, elsewhere.full_path, 'read', 'http')).level).toBe(20)
  }
})

test('looking at a wiki without pages makes no repository, unless by somebody who may write it', async () => {
  const [writer, reader] = [await forge.user(), await forge.user()]
  const empty = await forge.project({ owner: writer, visibility: 'public' })
  const path = `${empty.full_path}.wiki`
  const wiki = () => findWiki(forge.app.db, { kind: 'project', row: empty })
  const as = (user: TestUser): GitPrincipal => ({ kind: 'person', user, scopes: ['api'] })
  for (const principal of [anonymous, as(reader), await tokenOf(empty, writer), await keyOf(empty, writer)])
    expect(await enter(principal, 'read', path)).toBe('This wiki has no pages yet.')
  expect(await wiki()).toBe(null)
  expect(await enter(as(writer), 'read', path)).toBe(null)
  expect(await wiki()).not.toBe(null)
  expect(await enter(anonymous, 'read', path)).toBe(null)
})

test('a push to the wiki of a project that is not there makes none', async () => {
  const principal: GitPrincipal = { kind: 'person', user: owner, scopes: ['api'] }
  const group = await forge.group()
  const asRoot: GitPrincipal = { kind: 'person', user: forge.root, scopes: ['api'] }
  for (const [who, path] of [
    [principal, `${owner.username}/typo.wiki`],
    [principal, `${owner.username}/typo.WIKI`],
    [asRoot, `${group.full_path}/typo.keys`],
    [asRoot, `${group.full_path}.wiki.wiki`],
    [asRoot, `${group.full_path}s.wiki`],
  ] as const) {
    expect([path, await enter(who, 'push', path)]).toEqual([path, expect.any(String)])
  }
  const { body } = await forge.as(forge.root).get('/projects?search=typo')
  expect(body).toEqual([])
})
