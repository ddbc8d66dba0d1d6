/** A deploy key pushes where the user who created it may push today, and nowhere else. */
import { beforeAll, expect, test } from 'vitest'
import { publicKey } from '../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../test/support/forge.ts'
import { principalOfKey } from '../access/principals.ts'
import { readPublicKey } from '../access/ssh-keys.ts'
import { findKeyHolder } from '../features/people/keys/keys.service.ts'
import { refusalOf } from '../features/repository/pushes/allowed-changes.ts'
import { admit } from './access/access.ts'

let forge: Forge
let maker: TestUser
let project: TestProject
let key: string

beforeAll(async () => {
  forge = await testForge()
})

/** A project of somebody else, in which the maker is a maintainer who has enabled a key for pushes. */
async function prepare(visibility: 'private' | 'internal' | 'public' = 'private'): Promise<void> {
  const owner = await forge.user()
  maker = await forge.user()
  project = await forge.project({ owner, maintainer: maker, visibility })
  key = publicKey()
  const added = await forge.as(maker).post(`/projects/${project.id}/deploy_keys`, { title: 'Machine', key, can_push: true })
  expect(added.status).toBe(201)
}

async function enter(purpose: 'read' | 'write' | 'push') {
  const blob = Buffer.from(key.split(' ')[1] as string, 'base64')
  const holder = await findKeyHolder(forge.app, readPublicKey(blob) as NonNullable<ReturnType<typeof readPublicKey>>)
  if (!holder) throw new Error('nobody has this key')
  return admit(forge.app, principalOfKey(holder), project.full_path, purpose, 'ssh')
}

/** The refusal of a push to a new branch, or to the protected one; null if it succeeds. */
async function push(branch: string): Promise<string | null> {
  try {
    const { user, level } = await enter('push')
    const change = { ref: `refs/heads/${branch}`, before: '0'.repeat(40), after: 'a'.repeat(40) }
    return await refusalOf(forge.app, { user: user as TestUser, project, level }, [change], { name: 'api', is_forced: false })
  } catch (error) {
    return (error as Error).message
  }
}

const gone = 'This deploy key cannot push: the user who created it was blocked or deleted.'
const lost = 'This deploy key cannot push: the user who created it is not allowed to push code to this project.'
const isProtected = 'You are not allowed to push code to protected branches on this project.'

const setLevel = (access_level: number) =>
  forge.app.db.updateTable('members').set({ access_level }).where('project_id', '=', project.id).where('user_id', '=', maker.id).execute()
const setUser = (change: { state?: 'active' | 'blocked'; external?: boolean; admin?: boolean }) =>
  forge.app.db.updateTable('users').set(change).where('id', '=', maker.id).execute()

test('it pushes with the level its creator has today, to protected branches too', async () => {
  await prepare()
  expect([await push('work'), await push('main')]).toEqual([null, null])
  await setLevel(30)
  expect([await push('work'), await push('main')]).toEqual([null, isProtected])
  for (const level of [20, 10]) {
    await setLevel(level)
    expect([await push('work'), await push('main')]).toEqual([lost, lost])
  }
  await setLevel(40)
  expect(await push('main')).toBeNull()
})

test.each(['private', 'internal', 'public'] as const)(
  'whose creator has left a %s project, it reads there and pushes nothing',
  async (visibility) => {
    await prepare(visibility)
    await forge.app.db.deleteFrom('members').where('project_id', '=', project.id).where('user_id', '=', maker.id).execute()
    expect([await push('work'), await push('main')]).toEqual([lost, lost])
    for (const purpose of ['write', 'push'] as const) await expect(enter(purpose)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await enter('read')).level).toBe(20)
  },
)

test('whose creator is a member no more since yesterday, it pushes nothing', async () => {
  await prepare()
  await forge.app.db
    .updateTable('members')
    .set({ expires_at: '2020-01-01' })
    .where('project_id', '=', project.id)
    .where('user_id', '=', maker.id)
    .execute()
  expect(await push('work')).toBe(lost)
})

test('whose creator is blocked or deleted, it pushes nothing', async () => {
  await prepare()
  await setUser({ state: 'blocked' })
  expect(await push('work')).toBe(gone)
  await setUser({ state: 'active' })
  expect(await push('work')).toBeNull()
  expect((await forge.as(forge.root).delete(`/users/${maker.id}`)).status).toBe(204)
  expect(await push('work')).toBe(gone)
})

test('whose creator is external, it pushes as they may: as a member, and not because a project is internal', async () => {
  await prepare('internal')
  await setUser({ external: true })
  expect([await push('work'), await push('main')]).toEqual([null, null])
  await forge.app.db.deleteFrom('members').where('project_id', '=', project.id).where('user_id', '=', maker.id).execute()
  expect(await push('work')).toBe(lost)
})

test('whose creator was an administrator, it pushes with what is left to them', async () => {
  await prepare()
  await setLevel(10)
  await setUser({ admin: true })
  expect(await push('main')).toBeNull()
  await setUser({ admin: false })
  expect(await push('main')).toBe(lost)
})

test('enabled elsewhere by somebody else, it pushes there only if its creator may', async () => {
  await prepare()
  const second = await forge.user()
  const elsewhere = await forge.project({ owner: second })
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: second.id, access_level: 40 })
  const { id } = (await forge.as(maker).get(`/projects/${project.id}/deploy_keys`)).body[0]
  expect((await forge.as(second).post(`/projects/${elsewhere.id}/deploy_keys/${id}/enable`)).status).toBe(201)
  expect((await forge.as(second).put(`/projects/${elsewhere.id}/deploy_keys/${id}`, { can_push: true })).status).toBe(200)
  project = elsewhere
  expect(await push('work')).toBe(lost)
  await forge.as(second).post(`/projects/${elsewhere.id}/members`, { user_id: maker.id, access_level: 30 })
  expect([await push('work'), await push('main')]).toEqual([null, isProtected])
})
