/** Groups are moved below others and to the top: paths, access and openness follow, and what can't be moved stays. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import type { LocatedGroup } from '../../../access/find.ts'
import { connectSubscribers, inSameTransaction, joined } from '../../../domain-events/domain-events.ts'
import { subscribers } from '../../subscribers.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

const transfer = (group: { id: number }, parent: { id: number } | null, user = owner) =>
  forge.as(user).post(`/groups/${group.id}/transfer`, parent ? { group_id: parent.id } : {})
const pathOf = async (id: number) => (await forge.as(forge.root).get(`/groups/${id}`)).body.full_path
const said = (sentence: string) => ({ message: `Transfer failed: ${sentence}` })

/** A group in another, with a subgroup and a project in that. */
async function tree(options: Parameters<Forge['group']>[0] = {}) {
  const top = await forge.group({ owner })
  const group = await forge.group({ parent: top, ...options })
  const inner = await forge.group({ parent: group, ...options })
  const project = await forge.project({ group: inner, files: null })
  return { top, group, inner, project }
}

describe('a group is transferred', () => {
  test('below another one: with its paths, its subgroups and its projects, to which the old paths lead', async () => {
    const { group, inner, project } = await tree()
    const parent = await forge.group({ owner })
    const before = project.full_path
    const { status, body } = await transfer(group, parent)
    expect([status, body.parent_id, body.full_path]).toEqual([201, parent.id, `${parent.full_path}/${group.path}`])
    expect(await pathOf(inner.id)).toBe(`${parent.full_path}/${group.path}/${inner.path}`)
    const moved = `${parent.full_path}/${group.path}/${inner.path}/${project.path}`
    expect((await forge.as(owner).get(`/projects/${encodeURIComponent(moved)}`)).body.id).toBe(project.id)
    const redirect = forge.app.db.selectFrom('redirects').select('project_id').where('path_key', '=', before.toLowerCase())
    expect(await redirect.execute()).toEqual([{ project_id: project.id }])
    const below = async (id: number) =>
      (await forge.as(owner).get(`/groups/${id}/descendant_groups`)).body.map((one: LocatedGroup) => one.id)
    expect((await below(parent.id)).sort()).toEqual([group.id, inner.id].sort())
  })

  test('to the top, and back', async () => {
    const { top, group, inner } = await tree()
    // Nobody owns it but by the group above.
    await forge.app.db.deleteFrom('members').where('namespace_id', '=', group.id).execute()
    expect((await transfer(group, null)).body).toMatchObject({ parent_id: null, full_path: group.path })
    expect(await pathOf(inner.id)).toBe(`${group.path}/${inner.path}`)
    expect((await forge.as(owner).get(`/groups/${top.id}/descendant_groups`)).body).toEqual([])
    const owners = (await forge.as(owner).get(`/groups/${group.id}/members`)).body
    expect(owners).toMatchObject([{ id: owner.id, access_level: 50, expires_at: null }])
    expect((await transfer(group, top)).body).toMatchObject({ parent_id: top.id, full_path: group.full_path })
  })

  test('so that access through the former parent ends, that through the new one begins, and its own stays', async () => {
    const [former, coming, own] = [await forge.user(), await forge.user(), await forge.user()]
    const top = await forge.group({ owner, developer: former })
    const group = await forge.group({ parent: top, reporter: own })
    const project = await forge.project({ group, files: null })
    const parent = await forge.group({ owner, developer: coming })
    const levels = () =>
      Promise.all([former, coming, own].map(async (user) => (await forge.as(user).get(`/projects/${project.id}`)).status))
    expect(await levels()).toEqual([200, 404, 200])
    expect((await transfer(group, parent)).status).toBe(201)
    expect(await levels()).toEqual([404, 200, 200])
    const listed = async (user: TestUser) => (await forge.as(user).get('/projects?membership=true')).body.length
    expect([await listed(former), await listed(coming), await listed(own)]).toEqual([0, 1, 1])
  })

  test('where it and all in it become as open as the new parent, and their forks with them', async () => {
    const group = await forge.group({ owner, visibility: 'public' })
    const inner = await forge.group({ parent: group, visibility: 'public' })
    const project = await forge.project({ group: inner, visibility: 'public', files: null })
    const fork = await forge.project({ visibility: 'public', files: null })
    await forge.as(forge.root).post(`/projects/${fork.id}/fork/${project.id}`)
    const parent = await forge.group({ owner, visibility: 'internal' })
    expect((await transfer(group, parent)).body.visibility).toBe('internal')
    const seen = async (path: string) => (await forge.as(forge.root).get(path)).body.visibility
    const all = [`/groups/${inner.id}`, `/projects/${project.id}`, `/projects/${fork.id}`]
    expect(await Promise.all(all.map(seen))).toEqual(['internal', 'internal', 'internal'])
  })

  test('in one transaction with its event: what a subscriber throws leaves everything where it was', async () => {
    const { group, inner } = await tree()
    const parent = await forge.group({ owner })
    const seen: unknown[] = []
    const failing = inSameTransaction(async (_, event) => {
      seen.push(event)
      throw new Error('in the midst')
    })
    const disconnect = connectSubscribers(joined(subscribers, { group_transferred: [failing] }))
    try {
      expect((await transfer(group, parent)).status).toBe(500)
    } finally {
      disconnect()
    }
    expect(seen).toEqual([{ type: 'group_transferred', group_id: group.id, parent_id: parent.id, user_id: owner.id }])
    expect([await pathOf(group.id), await pathOf(inner.id)]).toEqual([group.full_path, inner.full_path])
  })

  test('by only one of two requests that would nest each in the other', async () => {
    for (let round = 0; round < (engine === 'postgres' ? 3 : 1); round += 1) {
      const [one, other] = [await forge.group({ owner }), await forge.group({ owner })]
      const answers = await Promise.all([transfer(one, other), transfer(other, one)])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    }
  })

  test('while others are created in it and below it, and everything has the path it stands at', async () => {
    const { group, inner } = await tree()
    const parent = await forge.group({ owner })
    const create = (parent_id: number, path: string) => forge.as(owner).post('/groups', { name: path, path, parent_id })
    const answers = await Promise.all([create(group.id, 'a1'), transfer(group, parent), create(inner.id, 'a2'), create(group.id, 'a3')])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const { body } = await forge.as(forge.root).get(`/groups/${parent.id}/descendant_groups?all_available=true`)
    const start = `${parent.full_path}/${group.path}`
    const expected = [start, `${start}/a1`, `${start}/a3`, `${start}/${inner.path}`, `${start}/${inner.path}/a2`]
    expect(body.map(({ full_path }: LocatedGroup) => full_path).sort()).toEqual(expected.sort())
  })
})

describe('a group is not transferred', () => {
  test('to itself, to a group below it, or to where it stands', async () => {
    const { top, group, inner } = await tree()
    const cycle = said('Group cannot be moved to itself or one of its subgroups.')
    for (const [parent, body] of [
      [group, cycle],
      [inner, cycle],
      [top, said('Group is already associated to the parent group.')],
    ] as const) {
      const answer = await transfer(group, parent)
      expect([answer.status, answer.body]).toEqual([400, body])
    }
    const answer = await transfer(top, null)
    expect([answer.status, answer.body]).toEqual([400, said('Group is already a root group.')])
    expect(await pathOf(inner.id)).toBe(inner.full_path)
  })

  test('by those who do not own it, nor to where they may not create groups', async () => {
    const [maintainer, limited] = [await forge.user(), await forge.user({ can_create_group: false })]
    const { group } = await tree({ maintainer })
    const kept = await forge.group({ maintainer: owner })
    const hidden = await forge.group()
    expect((await transfer(group, null, maintainer)).status).toBe(403)
    expect((await transfer(group, kept)).body).toEqual(said("You don't have enough permissions."))
    const unseen = await transfer(group, hidden)
    expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Group Not Found' }])
    const own = await forge.group({ parent: await forge.group(), owner: limited })
    expect((await transfer(own, null, limited)).body).toEqual(said("You don't have enough permissions."))
    expect((await forge.anonymous.post(`/groups/${group.id}/transfer`)).status).toBe(401)
    expect((await transfer(group, null, await forge.user())).status).toBe(404)
  })

  test('to where its path is taken, reserved, too deep or too long', async () => {
    const { group } = await tree()
    const parent = await forge.group({ owner })
    await forge.group({ parent, path: group.path.toUpperCase() })
    const taken = await transfer(group, parent)
    expect([taken.status, taken.body]).toEqual([400, said('The parent group already has a subgroup or a project with the same path.')])
    const reserved = await forge.group({ owner, parent: await forge.group(), path: 'admin' })
    expect((await transfer(reserved, null)).body).toEqual(said('Path admin is a reserved name'))
    let deep = await forge.group({ owner, path: 'q'.repeat(3) })
    for (let level = 1; level < 98; level += 1) deep = await forge.group({ parent: deep, path: 'd' })
    const two = await tree()
    expect((await transfer(two.top, deep)).body).toEqual(said('The groups would be nested too deeply.'))
    expect((await transfer(two.inner, deep)).status).toBe(201)
    let long = await forge.group({ owner, path: 'l'.repeat(250) })
    for (let level = 1; level < 7; level += 1) long = await forge.group({ parent: long, path: 'l'.repeat(250) })
    const name = await forge.group({ owner, path: 'x'.repeat(255) })
    const tooLong = await transfer(name, long)
    expect([tooLong.status, JSON.stringify(tooLong.body)]).toEqual([400, expect.stringContaining('is too long')])
    expect(await pathOf(name.id)).toBe(name.path)
  })

  test('for malformed values', async () => {
    const { group } = await tree()
    for (const group_id of ['x', 1.5, 'a\u0000', [1, 2], { a: 1 }]) {
      const { status, body } = await forge.as(owner).post(`/groups/${group.id}/transfer`, { group_id })
      expect([group_id, status, body]).toEqual([group_id, 400, { error: 'group_id is invalid' }])
    }
    expect((await forge.as(owner).post(`/groups/${group.id}/transfer`, { group_id: 999_999_999 })).status).toBe(404)
    expect((await forge.as(owner).post('/groups/999999999/transfer')).status).toBe(404)
  })
})
