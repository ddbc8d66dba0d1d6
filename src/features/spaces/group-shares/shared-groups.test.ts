/** Groups shared with groups: what the members may do there and below, in every list, and when it ends. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { removeExpiredJob } from '../members/members.jobs.ts'

let forge: Forge
let owner: TestUser
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

/** A group of the owner with a subgroup and a project in it, and another group that they can see, with a member of each kind. */
async function apart() {
  const [member, above] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner })
  const inner = await forge.group({ parent: group })
  const project = await forge.project({ group: inner })
  const holder = await forge.group({ reporter: above })
  const other = await forge.group({ parent: holder, maintainer: member, guest: owner })
  const share = (sent: object = {}) => forge.as(owner).post(`/groups/${group.id}/share`, { group_id: other.id, group_access: 30, ...sent })
  const seen = async (user: TestUser) =>
    Promise.all(
      [`/groups/${group.id}`, `/groups/${inner.id}`, `/projects/${project.id}`].map(
        async (path) => (await forge.as(user).get(path)).status,
      ),
    )
  return { member, above, group, inner, project, holder, other, share, seen }
}

const ids = async (user: TestUser, path: string) => (await forge.as(user).get(path)).body.map(({ id }: { id: number }) => id)

describe('sharing a group', () => {
  test('gives the members of the other group access to it and all below, up to the level of the share, until it ends', async () => {
    const { member, above, group, project, other, share, seen } = await apart()
    expect(await seen(member)).toEqual([404, 404, 404])
    const { status, body } = await share({ expires_at: day(2) })
    const link = {
      group_id: other.id,
      group_name: other.name,
      group_full_path: other.full_path,
      group_access_level: 30,
      expires_at: day(2),
    }
    expect([status, body.id, body.shared_with_groups]).toEqual([201, group.id, [link]])
    expect([await seen(member), await seen(above)]).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ])
    expect(await ids(owner, `/groups/${other.id}/groups/shared`)).toEqual([group.id])
    expect(await ids(owner, `/groups/${other.id}/groups/shared?skip_groups[]=${group.id}`)).toEqual([])
    expect((await forge.as(await forge.user()).get(`/groups/${other.id}/groups/shared`)).status).toBe(404)
    // A maintainer there has what the share gives, a reporter of the group above no more than they have.
    const at = `/projects/${project.id}/repository/branches`
    const create = async (user: TestUser, branch: string) => (await forge.as(user).post(at, { branch, ref: 'main' })).status
    expect([await create(member, 'a'), await create(above, 'b')]).toEqual([201, 403])
    expect((await forge.as(member).put(`/projects/${project.id}`, { description: 'x' })).status).toBe(403)

    const ended = await forge.as(owner).delete(`/groups/${group.id}/share/${other.id}`)
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect(await seen(member)).toEqual([404, 404, 404])
    const again = await forge.as(owner).delete(`/groups/${group.id}/share/${other.id}`)
    expect([again.status, again.body]).toEqual([404, { message: '404 Group Link Not Found' }])
  })

  test('counts in every list, in members, and for git', async () => {
    const { member, group, inner, project, other, share } = await apart()
    await share()
    for (const query of ['?membership=true', '?min_access_level=30', '', '?simple=true'])
      expect([query, await ids(member, `/projects${query}`)]).toEqual([query, [project.id]])
    expect(await ids(member, '/projects?min_access_level=40')).toEqual([])
    expect(await ids(member, '/projects?owned=true')).toEqual([])
    expect((await ids(member, '/groups')).sort()).toEqual([group.id, inner.id, other.id, other.parent_id].sort())
    expect((await ids(member, '/groups?min_access_level=30')).sort()).toEqual([group.id, inner.id, other.id].sort())
    expect(await ids(member, `/groups/${inner.id}/projects`)).toEqual([project.id])
    for (const place of [`groups/${group.id}`, `groups/${inner.id}`, `projects/${project.id}`]) {
      const { body } = await forge.as(owner).get(`/${place}/members/all/${member.id}`)
      expect([place, body.id, body.access_level]).toEqual([place, member.id, 30])
      expect(await ids(owner, `/${place}/members/all`)).toContain(member.id)
      expect(await ids(owner, `/${place}/members`)).not.toContain(member.id)
    }
    expect(await ids(owner, `/projects/${project.id}/users`)).toContain(member.id)
    const listed = await forge.as(owner).get(`/projects/${project.id}/groups?with_shared=true`)
    expect(listed.body.map(({ id }: { id: number }) => id).sort()).toEqual([group.id, inner.id, other.id].sort())
    await git(await forge.folder(), 'ls-remote', await forge.remote(project, member))
    await forge.as(owner).delete(`/groups/${group.id}/share/${other.id}`)
    await expect(git(await forge.folder(), 'ls-remote', await forge.remote(project, member))).rejects.toThrow()
    expect(await ids(member, '/projects')).toEqual([])
  })

  test('as owners makes owners, who may share it and create in it', async () => {
    const owning = await forge.user()
    const { group, share, other } = await apart()
    await forge.as(forge.root).post(`/groups/${other.id}/members`, { user_id: owning.id, access_level: 50 })
    await share({ group_access: 50 })
    expect((await forge.as(owning).post('/groups', { name: 'In it', path: 'in-it', parent_id: group.id })).status).toBe(201)
    expect((await forge.as(owning).post('/projects', { name: 'In it too', namespace_id: group.id })).status).toBe(201)
    expect((await forge.as(owning).delete(`/groups/${group.id}/share/${other.id}`)).status).toBe(204)
    expect((await forge.as(owning).put(`/groups/${group.id}`, { name: 'Mine' })).status).toBe(403)
  })

  test('goes no further: not to those the other group is shared with, nor to above it or beside it', async () => {
    const { group, other, share, seen } = await apart()
    const third = await forge.user()
    const next = await forge.group({ developer: third, guest: owner })
    await share()
    await forge.as(forge.root).post(`/groups/${other.id}/share`, { group_id: next.id, group_access: 30 })
    expect((await forge.as(third).get(`/groups/${other.id}`)).status).toBe(200)
    expect(await seen(third)).toEqual([404, 404, 404])
    const parent = await forge.group()
    await forge.as(forge.root).post(`/groups/${group.id}/transfer`, { group_id: parent.id })
    const beside = await forge.project({ group: await forge.group({ parent }), files: null })
    const { member } = await apart()
    expect((await forge.as(member).get(`/projects/${beside.id}`)).status).toBe(404)
    expect((await forge.as(third).get(`/groups/${parent.id}`)).status).toBe(404)
  })

  test('shows those who have access by it the groups above, without what else is in them', async () => {
    const { member, other, group } = await apart()
    const { body: sub } = await forge.as(owner).post('/groups', { name: 'Sub', path: 'sub', parent_id: group.id })
    const beside = await forge.project({ group, files: null })
    await forge.as(owner).post(`/groups/${sub.id}/share`, { group_id: other.id, group_access: 20 })
    expect((await forge.as(member).get(`/groups/${group.id}`)).status).toBe(200)
    expect((await forge.as(member).get(`/projects/${beside.id}`)).status).toBe(404)
    expect(await ids(member, '/groups')).toContain(group.id)
    expect(await ids(member, `/groups/${group.id}/projects`)).toEqual([])
    expect((await forge.as(member).get(`/groups/${group.id}/members/all`)).body).not.toContainEqual(
      expect.objectContaining({ id: member.id }),
    )
  })

  test('ends on its day at once, and is removed by a job', async () => {
    const { member, group, other, share, seen } = await apart()
    expect((await share({ expires_at: day(0) })).status).toBe(201)
    expect(await seen(member)).toEqual([404, 404, 404])
    expect(await ids(member, '/projects')).toEqual([])
    expect((await forge.as(owner).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
    expect((await forge.as(owner).delete(`/groups/${group.id}/share/${other.id}`)).status).toBe(404)
    // One that has ended is in nobody's way.
    expect((await share({ expires_at: day(-3) })).status).toBe(201)
    const count = async () =>
      (await forge.app.db.selectFrom('group_shares').select('id').where('namespace_id', '=', group.id).execute()).length
    expect(await count()).toBe(1)
    await removeExpiredJob.handle(forge.app, undefined)
    expect(await count()).toBe(0)
  })

  test('with itself, with a group above or again is refused with 409; one below it may have it', async () => {
    const { group, inner, share, other } = await apart()
    const post = (id: number, group_id: number) => forge.as(forge.root).post(`/groups/${id}/share`, { group_id, group_access: 20 })
    for (const [id, with_] of [
      [group.id, group.id],
      [inner.id, group.id],
    ] as const) {
      const { status, body } = await post(id, with_)
      expect([status, body]).toEqual([409, { message: 'Group cannot be shared with itself or one of its ancestors.' }])
    }
    expect((await post(group.id, inner.id)).status).toBe(201)
    const answers = await Promise.all(Array.from({ length: 5 }, () => share()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect((await share()).body).toEqual({ message: 'Group already shared with this group' })
    expect((await forge.as(forge.root).get(`/groups/${group.id}`)).body.shared_with_groups).toMatchObject([
      { group_id: inner.id },
      { group_id: other.id },
    ])
  })

  test('is for its owners, with groups they can see, and refuses malformed values', async () => {
    const { member, group, other, share } = await apart()
    const hidden = await forge.group()
    const maintainer = await forge.user()
    await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 })
    const sent = { group_id: other.id, group_access: 30 }
    const by = async (user: TestUser) => (await forge.as(user).post(`/groups/${group.id}/share`, sent)).status
    expect([await by(maintainer), await by(member)]).toEqual([403, 404])
    expect((await forge.anonymous.post(`/groups/${group.id}/share`, sent)).status).toBe(401)
    for (const [wrong, status, body] of [
      [{ group_id: hidden.id }, 404, { message: '404 Group Not Found' }],
      [{ group_id: 999_999_999 }, 404, { message: '404 Group Not Found' }],
      [{ group_id: 'x' }, 400, { error: 'group_id is invalid' }],
      [{ group_access: 0 }, 400, { error: 'group_access does not have a valid value' }],
      [{ group_access: 60 }, 400, { error: 'group_access does not have a valid value' }],
      [{ expires_at: 'soon' }, 400, { error: 'expires_at is invalid' }],
      [{ expires_at: '2030-02-31' }, 400, { error: 'expires_at is invalid' }],
    ] as const) {
      const answer = await share(wrong)
      expect([wrong, answer.status, answer.body]).toEqual([wrong, status, body])
    }
    expect((await forge.as(owner).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
  })

  test('does not show a hidden group, nor who is in it, to those who cannot see it', async () => {
    const { group, other, share, member } = await apart()
    const guest = await forge.user()
    await share()
    await forge.as(owner).post(`/groups/${group.id}/members`, { user_id: guest.id, access_level: 10 })
    expect((await forge.as(guest).get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
    expect(await ids(guest, `/groups/${group.id}/members/all`)).not.toContain(member.id)
    expect((await forge.as(guest).get(`/groups/${group.id}/members/all/${member.id}`)).status).toBe(404)
    expect((await forge.as(guest).get(`/groups/${other.id}`)).status).toBe(404)
  })

  test('goes with either group', async () => {
    const { member, group, other, share, seen } = await apart()
    await share()
    await forge.as(forge.root).delete(`/groups/${other.id}`)
    expect(await seen(member)).toEqual([404, 404, 404])
    const rest = forge.app.db.selectFrom('group_shares').select('id').where('namespace_id', '=', group.id)
    expect(await rest.execute()).toEqual([])
  })
})
