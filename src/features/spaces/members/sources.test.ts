/** The list of members with where each membership comes from, and copying members from place to place. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'
import { everything, type Viewer } from '../../../access/visible.ts'
import { copyMembers, listMembersWithSources, type MemberOrder } from './members.ts'

let forge: Forge
const page = (order: MemberOrder) => ({ limit: 50, offset: 0, order })
const anybody = { words: undefined, actor: null }

beforeAll(async () => {
  forge = await testForge()
})

test('each member is listed once: by the membership of this place, else by the highest of the others, with the group it comes from', async () => {
  const [owner, both, guest, shared] = [
    await forge.user({ name: 'A' }),
    await forge.user({ name: 'B' }),
    await forge.user({ name: 'C' }),
    await forge.user({ name: 'D' }),
  ]
  const group = await forge.group({ owner, maintainer: both })
  const other = await forge.group({ owner: shared, visibility: 'public' })
  const project = await forge.project({ group, guest: both, reporter: guest, files: null })
  await forge.as(owner).post(`/projects/${project.id}/share`, { group_id: other.id, group_access: 30 })
  await forge.app.db.updateTable('namespaces').set({ visibility: 'private' }).where('id', '=', other.id).execute()
  const whole = { namespace_id: project.namespace_id, project_id: project.id }
  const list = async (viewer: Viewer, order: MemberOrder) =>
    (await listMembersWithSources(forge.app.db, viewer, whole, { ...anybody, actor: viewer }, page(order))).rows
      .filter(({ username }) => username !== 'root')
      .map(({ name, isDirect, access_level, effective_level, source_path }) => [name, isDirect, access_level, effective_level, source_path])
  const all = [
    ['A', false, 50, 50, group.full_path],
    ['B', true, 10, 40, null],
    ['C', true, 20, 20, null],
    ['D', false, 30, 30, other.full_path],
  ]
  expect(await list(everything, 'name_asc')).toEqual(all)
  expect((await list(everything, 'access_level_asc')).map(([name]) => name)).toEqual(['C', 'D', 'B', 'A'])
  // Viewers who can't see a group aren't told its members.
  expect((await list(guest, 'name_asc')).map(([name]) => name)).toEqual(['A', 'B', 'C'])
  const found = await listMembersWithSources(forge.app.db, everything, whole, { words: guest.username, actor: owner }, page('name_desc'))
  expect([found.total, found.rows[0]?.name]).toEqual([1, 'C'])
})

test('copied members keep role and expiry; those who are there, and bot users, stay as they are', async () => {
  const [owner, ada, bob] = [await forge.user(), await forge.user(), await forge.user()]
  const from = await forge.project({ owner, developer: ada, reporter: bob, files: null })
  const to = await forge.project({ owner: await forge.user(), guest: bob, files: null })
  await forge.as(owner).post(`/projects/${from.id}/access_tokens`, { name: 'bot', scopes: ['api'] })
  await forge.as(owner).put(`/projects/${from.id}/members/${ada.id}`, { access_level: 30, expires_at: '2999-01-01' })
  const places = [{ project_id: from.id }, { project_id: to.id }] as const
  // Twice at once: each is added once.
  const counts = await Promise.all([copyMembers(forge.app, ...places), copyMembers(forge.app, ...places)])
  expect(counts.sort()).toEqual([0, 2])
  const members = (await forge.as(forge.root).get(`/projects/${to.id}/members`)).body as Array<Record<string, unknown>>
  const of = (id: number) => members.find((member) => member.id === id)
  expect([of(ada.id)?.access_level, of(ada.id)?.expires_at, of(bob.id)?.access_level]).toEqual([30, '2999-01-01', 10])
  expect(members.length).toBe(4)
})
