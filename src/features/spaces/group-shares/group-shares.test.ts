/** Projects shared with groups: who may share what, what the members of the group may do, and when it ends. */
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

/** A project of the owner, and a group the owner is in. */
async function apart(roles: Parameters<Forge['group']>[0] = {}) {
  return { project: await forge.project({ owner }), group: await forge.group({ reporter: owner, ...roles }) }
}

describe('sharing a project', () => {
  test('gives the group access until the share ends', async () => {
    const member = await forge.user()
    const { project, group } = await apart({ developer: member })
    const at = `/projects/${project.id}/share`
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(404)
    const { status, body } = await forge.as(owner).post(at, { group_id: group.id, group_access: 30, expires_at: day(2) })
    const link = { id: expect.any(Number), project_id: project.id, group_id: group.id, group_access: 30, expires_at: day(2) }
    expect([status, body]).toEqual([201, link])
    const seen = await forge.as(member).get(`/projects/${project.id}`)
    expect([seen.status, seen.body.shared_with_groups]).toEqual([
      200,
      [{ group_id: group.id, group_name: group.name, group_access_level: 30, expires_at: day(2) }],
    ])
    expect((await forge.as(member).get('/projects?membership=true')).body.map(({ id }: { id: number }) => id)).toContain(project.id)

    const ended = await forge.as(owner).delete(`${at}/${group.id}`)
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(404)
    const again = await forge.as(owner).delete(`${at}/${group.id}`)
    expect([again.status, again.body]).toEqual([404, { message: '404 Group Link Not Found' }])
  })

  test('is refused with the reason where it cannot be, and shares nothing', async () => {
    const { project, group } = await apart()
    const hidden = await forge.group()
    const at = `/projects/${project.id}/share`
    for (const [sent, status, body] of [
      [{ group_id: hidden.id, group_access: 10 }, 404, { message: '404 Group Not Found' }],
      [{ group_id: 999_999, group_access: 10 }, 404, { message: '404 Group Not Found' }],
      [{ group_id: project.namespace_id, group_access: 10 }, 404, { message: '404 Group Not Found' }],
      [{ group_access: 10 }, 400, { error: 'group_id is missing' }],
      [{ group_id: group.id }, 400, { error: 'group_access is missing' }],
      [{ group_id: group.path, group_access: 10 }, 400, { error: 'group_id is invalid' }],
      [{ group_id: group.id, group_access: 50 }, 400, { error: 'group_access does not have a valid value' }],
      [{ group_id: group.id, group_access: 15 }, 400, { error: 'group_access does not have a valid value' }],
      [{ group_id: group.id, group_access: 0 }, 400, { error: 'group_access does not have a valid value' }],
      [{ group_id: group.id, group_access: 10, expires_at: 'soon' }, 400, { error: 'expires_at is invalid' }],
    ] as const) {
      const answer = await forge.as(owner).post(at, sent)
      expect([sent, answer.status, answer.body]).toEqual([sent, status, body])
    }
    expect((await forge.as(owner).get(`/projects/${project.id}`)).body.shared_with_groups).toEqual([])
    expect((await forge.as(owner).delete(`${at}/x`)).body).toEqual({ error: 'group_id is invalid' })
  })

  test('with the group it is in, or one above that, is refused with 409; so is what is shared already', async () => {
    const top = await forge.group({ owner })
    const inner = await forge.group({ parent: top })
    const beside = await forge.group({ parent: top })
    const project = await forge.project({ group: inner, files: null })
    const share = (group: { id: number }) => forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 20 })
    const said = 'Project cannot be shared with the group it is in or one of its ancestors.'
    for (const group of [top, inner]) {
      const { status, body } = await share(group)
      expect([status, body]).toEqual([409, { message: said }])
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => share(beside)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect((await share(beside)).body).toEqual({ message: 'Group already shared with this group' })
  })

  test('and ending it is for maintainers of the project', async () => {
    const [maintainer, developer] = [await forge.user(), await forge.user()]
    const group = await forge.group({ visibility: 'internal' })
    const project = await forge.project({ maintainer, developer, files: null })
    const at = `/projects/${project.id}/share`
    const sent = { group_id: group.id, group_access: 20 }
    const post = async (user: TestUser) => (await forge.as(user).post(at, sent)).status
    expect([await post(developer), await post(owner), await post(maintainer)]).toEqual([403, 404, 201])
    const remove = async (user: TestUser) => (await forge.as(user).delete(`${at}/${group.id}`)).status
    expect([await remove(developer), await remove(owner), await remove(maintainer)]).toEqual([403, 404, 204])
    expect((await forge.anonymous.post(at, sent)).status).toBe(401)
  })

  test('with a past expiry gives nothing and doesn’t block a new share', async () => {
    const member = await forge.user()
    const { project, group } = await apart({ developer: member })
    const share = (expires_at: string) =>
      forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30, expires_at })
    const { status, body } = await share(day(0))
    expect([status, body.expires_at]).toEqual([201, day(0)])
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(404)
    expect((await forge.as(owner).delete(`/projects/${project.id}/share/${group.id}`)).status).toBe(404)
    expect((await share(day(2))).status).toBe(201)
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(200)
  })

  test('that changed after If-Unmodified-Since is kept', async () => {
    const { project, group } = await apart()
    await forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 20 })
    const headers = { 'if-unmodified-since': new Date(Date.now() - 60_000).toUTCString() }
    expect((await forge.as(owner).delete(`/projects/${project.id}/share/${group.id}`, undefined, { headers })).status).toBe(412)
  })
})

describe('access through a shared group', () => {
  test('gives nobody more than the share allows, nor more than their level in the group', async () => {
    const [guest, developer, manager] = [await forge.user(), await forge.user(), await forge.user()]
    for (const [access, levels] of [
      [10, [403, 403, 403]],
      [20, [403, 200, 200]],
    ] as const) {
      const { project, group } = await apart({ guest, developer, owner: manager })
      await forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: access })
      const tree = async (user: TestUser) => (await forge.as(user).get(`/projects/${project.id}/repository/tree`)).status
      expect([access, await tree(guest), await tree(developer), await tree(manager)]).toEqual([access, ...levels])
      expect((await forge.as(manager).put(`/projects/${project.id}`, { description: 'Mine' })).status).toBe(403)
      const all = (await forge.as(forge.root).get(`/projects/${project.id}/members/all`)).body
      const shown = new Map(all.map((member: { id: number; access_level: number }) => [member.id, member.access_level]))
      expect([guest, developer, manager].map(({ id }) => shown.get(id))).toEqual([10, Math.min(access, 30), access])
    }
  })

  test('counts for members of what is above the group, and not for those of what is below it', async () => {
    const [above, below] = [await forge.user(), await forge.user()]
    const top = await forge.group({ reporter: above })
    const group = await forge.group({ parent: top })
    await forge.group({ parent: group, owner: below })
    const project = await forge.project({ owner })
    await forge.as(forge.root).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 40 })
    const see = async (user: TestUser) => (await forge.as(user).get(`/projects/${project.id}`)).status
    expect([await see(above), await see(below)]).toEqual([200, 404])
    const all = (await forge.as(owner).get(`/projects/${project.id}/members/all`)).body.map(({ id }: { id: number }) => id)
    expect([all.includes(above.id), all.includes(below.id)]).toEqual([true, false])
  })

  test('holds for git: a reporter fetches, a developer pushes, and a guest does neither', async () => {
    const [guest, reporter, developer] = [await forge.user(), await forge.user(), await forge.user()]
    const { project, group } = await apart({ guest, developer })
    await forge.as(forge.root).put(`/groups/${group.id}/members/${owner.id}`, { access_level: 10 })
    await forge.as(forge.root).post(`/groups/${group.id}/members`, { user_id: reporter.id, access_level: 20 })
    await forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30 })
    const folder = await forge.folder()
    const remote = (user: TestUser) => forge.remote(project, user)
    await git(folder, 'clone', '-q', await remote(reporter), '.')
    await expect(git(folder, 'ls-remote', await remote(guest))).rejects.toThrow()
    await expect(git(folder, 'push', '-q', await remote(reporter), 'HEAD:refs/heads/mine')).rejects.toThrow()
    await git(folder, 'push', '-q', await remote(developer), 'HEAD:refs/heads/mine')
    await forge.as(owner).delete(`/projects/${project.id}/share/${group.id}`)
    await expect(git(folder, 'ls-remote', await remote(developer))).rejects.toThrow()
  })

  test('ends on its expiry, doesn\u2019t block a new share, and is removed by a job', async () => {
    const member = await forge.user()
    const { project, group } = await apart({ developer: member })
    const share = () => forge.as(owner).post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30, expires_at: day(1) })
    const expire = () =>
      forge.app.db
        .updateTable('group_shares')
        .set({ expires_at: day(0) })
        .where('project_id', '=', project.id)
        .execute()
    const rows = () => forge.app.db.selectFrom('group_shares').select('id').where('project_id', '=', project.id).execute()
    await share()
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(200)
    await expire()
    expect((await forge.as(member).get(`/projects/${project.id}`)).status).toBe(404)
    expect((await forge.as(owner).get(`/projects/${project.id}`)).body.shared_with_groups).toEqual([])
    expect((await forge.as(owner).get(`/groups/${group.id}`)).body.shared_projects).toEqual([])
    expect((await share()).status).toBe(201)
    await expire()
    expect(await rows()).toHaveLength(1)
    await removeExpiredJob.handle(forge.app, {})
    expect(await rows()).toEqual([])
  })
})
