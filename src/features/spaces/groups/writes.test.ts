/** Groups are changed, moved to other paths, and removed with all that is below them. */
import { access } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { git } from '../../../../test/support/git.ts'
import { gate, untilOneWaits } from '../../../../test/support/locks.ts'
import { inTransaction } from '../../../db/database.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user()
})

const taken = { message: { path: ['has already been taken'] } }
const statusesOf = (answers: Array<{ status: number }>) => answers.map(({ status }) => status).sort()

describe('changing a group', () => {
  test('changes what was sent and leaves the rest', async () => {
    const group = await forge.group({ owner, name: 'Before' })
    const settings = {
      name: 'Nach_1.5 – später',
      description: 'Text',
      visibility: 'internal',
      lfs_enabled: false,
      request_access_enabled: true,
    }
    const { status, body } = await forge.as(owner).put(`/groups/${group.id}`, settings)
    const { body: read } = await forge.as(owner).get(`/groups/${group.id}`)
    expect([status, body]).toEqual([200, { ...read, ...settings, path: group.path, projects: [], shared_projects: [] }])

    await forge.as(forge.root).put(`/groups/${group.id}`, { description: '' })
    expect((await forge.as(owner).get(`/groups/${group.id}`)).body).toEqual({ ...read, description: '' })
    expect((await forge.as(owner).put(`/groups/${group.id}`)).status).toBe(200)
  })

  test('is for its owners, those of a group above too, and for administrators', async () => {
    const [maintainer, stranger, above] = [await forge.user(), await forge.user(), await forge.user()]
    const top = await forge.group({ owner: above })
    const group = await forge.group({ maintainer, parent: top })
    const put = async (user: TestUser) => (await forge.as(user).put(`/groups/${group.id}`, { name: 'Other' })).status
    expect([await put(maintainer), await put(stranger), await put(above), await put(forge.root)]).toEqual([403, 404, 200, 200])
    expect((await forge.anonymous.put(`/groups/${group.id}`, { name: 'Other' })).status).toBe(401)
  })

  test('to invalid values is rejected with the reason and changes nothing', async () => {
    const group = await forge.group({ owner, visibility: 'internal' })
    const inner = await forge.group({ parent: group, visibility: 'internal' })
    await forge.project({ group: inner, visibility: 'internal', files: null })
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    const before = (await forge.as(owner).get(`/groups/${group.id}`)).text
    for (const [id, sent, message] of [
      [group.id, { name: ' ' }, { name: ["can't be blank"] }],
      [group.id, { name: 'a<b' }, { name: ["can contain only letters, digits, '_', '.', dash and space."] }],
      [group.id, { name: 'fine', path: 'a/../b' }, { path: [format] }],
      [group.id, { path: 'x\u0007' }, { path: [format] }],
      [group.id, { path: 'x.git' }, { path: [format] }],
      [group.id, { path: 'x.atom' }, { path: [format] }],
      [group.id, { path: '' }, { path: ["can't be blank"] }],
      [group.id, { path: 'x'.repeat(256) }, { path: ['is too long (maximum is 255 characters)'] }],
      [group.id, { path: 'admin' }, { path: ['admin is a reserved name'] }],
      [inner.id, { path: 'tree' }, { path: ['tree is a reserved name'] }],
      [group.id, { description: 'x'.repeat(256) }, { description: ['is too long (maximum is 255 characters)'] }],
      [
        group.id,
        { visibility: 'private' },
        { visibility_level: ['private is not allowed since there are sub-groups with higher visibility.'] },
      ],
      [
        inner.id,
        { visibility: 'private' },
        { visibility_level: ['private is not allowed since this group contains projects with higher visibility.'] },
      ],
      [
        inner.id,
        { visibility: 'public' },
        { visibility_level: ['public is not allowed since the parent group has a internal visibility.'] },
      ],
    ] as const) {
      const { status, body } = await forge.as(owner).put(`/groups/${id}`, sent)
      expect([sent, status, body]).toEqual([sent, 400, { message }])
    }
    for (const [sent, error] of [
      [{ visibility: 'secret' }, 'visibility does not have a valid value'],
      [{ lfs_enabled: 'maybe' }, 'lfs_enabled is invalid'],
      [{ name: ['x'] }, 'name is invalid'],
      [{ path: 'a\u0000b' }, 'path is invalid'],
      [{ avatar: 'text' }, 'avatar is invalid'],
    ] as const) {
      const { status, body } = await forge.as(owner).put(`/groups/${group.id}`, sent)
      expect([sent, status, body]).toEqual([sent, 400, { error }])
    }
    expect((await forge.as(owner).get(`/groups/${group.id}`)).text).toBe(before)
  })

  test('does not move it: a parent_id is ignored', async () => {
    const group = await forge.group({ owner })
    const inner = await forge.group({ parent: group })
    for (const parent_id of [group.id, inner.id, 999_999, 'x']) {
      const { status, body } = await forge.as(owner).put(`/groups/${group.id}`, { parent_id })
      expect([status, body.parent_id, body.full_path]).toEqual([200, null, group.path])
    }
  })

  test('sets and removes an image as its avatar, and accepts nothing else', async () => {
    const group = await forge.group({ owner })
    const put = async (file: Buffer) => {
      const { payload, headers } = asForm({ avatar: file })
      return forge.as(owner).put(`/groups/${group.id}`, payload, { headers })
    }
    const { avatar_url } = (await put(onePixel)).body
    expect(avatar_url).toBe(`http://gitstead.test/uploads/-/system/group/avatar/${group.id}/file.png`)
    const path = `/${avatar_url.replace('http://gitstead.test', '')}`
    expect((await forge.as(owner).get(path)).bytes).toEqual(onePixel)
    expect((await forge.anonymous.get(path)).status).toBe(404)

    const refused = await put(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'))
    expect([refused.status, refused.body.message.avatar]).toEqual([400, [expect.stringContaining('file format is not supported')]])
    expect((await forge.as(owner).get(`/groups/${group.id}`)).body.avatar_url).toBe(avatar_url)

    expect((await forge.as(owner).put(`/groups/${group.id}`, { avatar: '' })).body.avatar_url).toBe(null)
    expect((await forge.as(owner).get(path)).status).toBe(404)
  })

  test('to a restricted visibility is for administrators', async () => {
    const group = await forge.group({ owner })
    const said = 'public has been restricted by your administrator'
    await writeSettings(forge.app.db, { restricted_visibility_levels: ['public'], default_group_visibility: 'internal' })
    try {
      const changed = await forge.as(owner).put(`/groups/${group.id}`, { visibility: 'public' })
      expect([changed.status, changed.body]).toEqual([400, { message: { visibility_level: [said] } }])
      const made = await forge.as(owner).post('/groups', { name: 'Open', path: 'restricted', visibility: 'public' })
      expect([made.status, made.body]).toEqual([400, { message: `Failed to save group {:visibility_level=>["${said}"]}` }])
      expect((await forge.as(owner).post('/groups', { name: 'Usual', path: 'usual' })).body.visibility).toBe('internal')
      expect((await forge.as(forge.root).put(`/groups/${group.id}`, { visibility: 'public' })).status).toBe(200)
      // A group keeps a restricted visibility that it already has.
      expect((await forge.as(owner).put(`/groups/${group.id}`, { visibility: 'public', name: 'Kept' })).status).toBe(200)
    } finally {
      await writeSettings(forge.app.db, { restricted_visibility_levels: [], default_group_visibility: 'private' })
    }
  })
})

describe('the path of a group', () => {
  test('moves everything below with it, and git finds the projects at once', async () => {
    const top = await forge.group({ owner, path: 'Old-Top' })
    const inner = await forge.group({ parent: top, path: 'Inner' })
    const project = await forge.project({ group: inner, path: 'Code' })
    const bystander = await forge.project({ group: await forge.group({ path: 'old-top2' }), path: 'code' })
    const { status, body } = await forge.as(owner).put(`/groups/${inner.id}`, { path: 'mid' })
    expect([status, body.full_path, body.projects[0].path_with_namespace]).toEqual([200, 'Old-Top/mid', 'Old-Top/mid/Code'])
    await forge.as(owner).put('/groups/old-top', { path: 'Fresh' })

    const read = async (path: string) => (await forge.as(owner).get(path)).status
    expect((await forge.as(owner).get('/projects/fresh%2FMID%2Fcode')).body.path_with_namespace).toBe('Fresh/mid/Code')
    expect((await forge.as(owner).get('/groups/FRESH%2Fmid')).body.full_path).toBe('Fresh/mid')
    expect([
      await read('/projects/old-top%2Finner%2Fcode'),
      await read('/groups/old-top'),
      await read('/projects/old-top%2Fmid%2Fcode'),
    ]).toEqual([404, 404, 404])
    expect((await forge.as(forge.root).get(`/projects/${bystander.id}`)).body.path_with_namespace).toBe('old-top2/code')
    const folder = await forge.folder()
    await git(folder, 'clone', '-q', await forge.remote('Fresh/mid/Code', owner), 'here')
    expect(await git(`${folder}/here`, 'rev-parse', 'HEAD')).toBe(await git(project.dir, 'rev-parse', 'main'))
    const { body: freed } = await forge.as(owner).post('/groups', { name: 'Again', path: 'old-top' })
    expect(freed.full_path).toBe('old-top')
  })

  test('may change in case only', async () => {
    const group = await forge.group({ owner, path: 'casing' })
    await forge.project({ group, path: 'inside', files: null })
    const { status, body } = await forge.as(owner).put(`/groups/${group.id}`, { path: 'CASING' })
    expect([status, body.full_path, body.projects[0].path_with_namespace]).toEqual([200, 'CASING', 'CASING/inside'])
  })

  test('that is taken is refused, and everything stays where it was', async () => {
    const [group, other] = [await forge.group({ owner, path: 'stays' }), await forge.group({ owner })]
    const inner = await forge.group({ parent: group, path: 'inner' })
    await forge.project({ group, path: 'beside', files: null })
    for (const path of [other.path, other.path.toUpperCase(), owner.username]) {
      const { status, body } = await forge.as(owner).put(`/groups/${group.id}`, { path, name: 'Not this' })
      expect([path, status, body]).toEqual([path, 400, taken])
    }
    expect((await forge.as(owner).put(`/groups/${inner.id}`, { path: 'Beside' })).body).toEqual(taken)
    expect((await forge.as(owner).get('/groups/stays%2Finner')).body.id).toBe(inner.id)
    expect((await forge.as(owner).get('/groups/stays')).body.name).not.toBe('Not this')
  })

  test('requested by ten at once is given to one', async () => {
    const groups = await Promise.all(Array.from({ length: 10 }, (_, index) => forge.group({ owner, path: `wants-${index}` })))
    const answers = await Promise.all(groups.map(({ id }) => forge.as(owner).put(`/groups/${id}`, { path: 'wanted' })))
    expect(statusesOf(answers)).toEqual([200, ...Array(9).fill(400)])
    expect(answers.filter(({ status }) => status === 400).map(({ body }) => body)).toEqual(Array(9).fill(taken))
  })

  test.runIf(engine === 'postgres')('changes while a project in it is being deleted, and nothing leads to that', async () => {
    const group = await forge.group({ owner, path: 'half-gone' })
    const [stays, goes] = [await forge.project({ group, files: null }), await forge.project({ group, files: null })]
    const [deleted, released] = [gate(), gate()]
    const deleting = inTransaction(forge.app.db, async (tx) => {
      await tx.deleteFrom('projects').where('id', '=', goes.id).execute()
      deleted.open()
      await released.isOpen
    })
    await deleted.isOpen
    const changing = forge.as(owner).put(`/groups/${group.id}`, { path: 'whole' })
    await untilOneWaits(forge.app.db)
    released.open()
    await deleting
    expect((await changing).status).toBe(200)
    const left = await forge.app.db.selectFrom('redirects').select('project_id').where('path_key', 'like', 'half-gone/%').execute()
    expect(left).toEqual([{ project_id: stays.id }])
  })

  test('changes while groups and projects are created below, and nothing is left behind', async () => {
    const group = await forge.group({ owner, path: 'moving-0' })
    const make = (index: number) =>
      index % 2
        ? forge.as(owner).post('/groups', { name: `g${index}`, path: `g${index}`, parent_id: group.id })
        : forge.as(owner).post('/projects', { path: `p${index}`, namespace_id: group.id })
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => make(index)),
      ...[1, 2, 3].map((index) => forge.as(owner).put(`/groups/${group.id}`, { path: `moving-${index}` })),
    ])
    expect(statusesOf(answers)).toEqual([200, 200, 200, ...Array(6).fill(201)])
    const { body } = await forge.as(owner).get(`/groups/${group.id}`)
    const { body: inner } = await forge.as(owner).get(`/groups/${group.id}/subgroups`)
    const paths = [...body.projects.map((one: { path_with_namespace: string }) => one.path_with_namespace), ...inner.map(fullPath)]
    expect(paths.sort()).toEqual(['g1', 'g3', 'g5', 'p0', 'p2', 'p4'].map((path) => `${body.full_path}/${path}`))
  })
})

const fullPath = ({ full_path }: { full_path: string }) => full_path

describe('deleting a group', () => {
  test('deletes everything below at once, and the files soon after', async () => {
    const member = await forge.user()
    const group = await forge.group({ owner, developer: member })
    const inner = await forge.group({ parent: group, guest: member })
    const projects = [await forge.project({ group, files: null }), await forge.project({ group: inner })]
    const beside = await forge.project({ owner, files: null })
    await forge.as(owner).post(`/projects/${beside.id}/share`, { group_id: group.id, group_access: 30 })
    const { payload, headers } = asForm({ avatar: onePixel })
    const avatar = (await forge.as(owner).put(`/groups/${group.id}`, payload, { headers })).body.avatar_url

    const { status, body } = await forge.as(owner).delete(`/groups/${group.id}`)
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    const gone = [
      ...[group, inner].map(({ id }) => `/groups/${id}`),
      ...projects.map(({ id }) => `/projects/${id}`),
      `/${avatar.replace('http://gitstead.test', '')}`,
    ]
    for (const path of gone) expect([path, (await forge.as(forge.root).get(path)).status]).toEqual([path, 404])
    expect((await forge.as(member).get(`/projects/${beside.id}`)).status).toBe(404)
    expect((await forge.as(owner).get(`/projects/${beside.id}`)).body.shared_with_groups).toEqual([])
    expect((await forge.as(owner).post('/groups', { name: 'Again', path: group.path })).status).toBe(201)
    await forge.drain()
    for (const { dir } of projects) await expect(access(dir)).rejects.toThrow()
  })

  test('is for its owners and for administrators', async () => {
    const [maintainer, stranger] = [await forge.user(), await forge.user()]
    const group = await forge.group({ owner, maintainer })
    const remove = async (user: TestUser) => (await forge.as(user).delete(`/groups/${group.id}`)).status
    expect([await remove(maintainer), await remove(stranger)]).toEqual([403, 404])
    expect((await forge.anonymous.delete(`/groups/${group.id}`)).status).toBe(401)
    expect((await forge.as(owner).get(`/groups/${group.id}`)).status).toBe(200)
    expect([await remove(owner), await remove(owner)]).toEqual([202, 404])
    expect((await forge.as(forge.root).delete(`/groups/${owner.username}`)).status).toBe(404)
  })

  test('that changed since it was seen is refused', async () => {
    const group = await forge.group({ owner })
    const since = (instant: number) => ({ headers: { 'if-unmodified-since': new Date(instant).toUTCString() } })
    const at = Date.parse(group.updated_at)
    const early = await forge.as(owner).delete(`/groups/${group.id}`, undefined, since(at - 60_000))
    expect([early.status, early.body]).toEqual([412, { message: '412 Precondition Failed' }])
    expect((await forge.as(owner).delete(`/groups/${group.id}`, undefined, since(at + 1_000))).status).toBe(202)
  })

  test('while groups and projects are created in it leaves none of them', async () => {
    const group = await forge.group({ owner })
    const paths = Array.from({ length: 4 }, (_, index) => `late-${index}`)
    const answers = await Promise.all([
      ...paths.map((path) => forge.as(owner).post('/groups', { name: path, path, parent_id: group.id })),
      ...paths.map((path) => forge.as(owner).post('/projects', { path: `${path}-p`, namespace_id: group.id })),
      forge.as(owner).delete(`/groups/${group.id}`),
      forge.as(owner).delete(`/groups/${group.id}`),
    ])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(statusesOf(answers.slice(-2))).toContain(202)
    const { body } = await forge.as(forge.root).get('/groups?search=late-')
    const { body: projects } = await forge.as(forge.root).get('/projects?search=late-')
    expect([body, projects]).toEqual([[], []])
  })
})

describe('the projects of a group', () => {
  test('are its own and those shared with it, filtered and ordered, without archived ones', async () => {
    const group = await forge.group({ owner, visibility: 'public' })
    const make = (path: string, visibility: 'private' | 'public' = 'private') => forge.project({ group, path, visibility, files: null })
    const [, open, old] = [await make('a'), await make('b', 'public'), await make('c')]
    await forge.project({ group: await forge.group({ parent: group }), files: null })
    const shared = await forge.project({ owner, path: 'd', files: null })
    await forge.as(owner).post(`/projects/${shared.id}/share`, { group_id: group.id, group_access: 20 })
    await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', old.id).execute()
    const listed = async (query = '', client = forge.as(owner)) =>
      (await client.get(`/groups/${group.id}/projects${query}`)).body.map(({ path }: { path: string }) => path)
    expect(await listed()).toEqual(['d', 'b', 'a'])
    expect(await listed('?archived=true')).toEqual(['c'])
    expect(await listed('?order_by=path&sort=asc')).toEqual(['a', 'b', 'd'])
    expect(await listed('?visibility=public')).toEqual(['b'])
    expect(await listed('?search=b')).toEqual(['b'])
    expect(await listed('', forge.anonymous)).toEqual(['b'])
    expect(Object.keys((await forge.as(owner).get(`/groups/${group.id}/projects?simple=true`)).body[0])).not.toContain('visibility')
    const { body } = await forge.as(owner).get(`/groups/${group.id}`)
    expect([body.projects.map(({ path }: { path: string }) => path), body.shared_projects.map(({ id }: { id: number }) => id)]).toEqual([
      ['c', 'b', 'a'],
      [shared.id],
    ])
    expect((await forge.anonymous.get(`/groups/${group.id}`)).body.projects.map(({ id }: { id: number }) => id)).toEqual([open.id])
    await forge.as(forge.root).put(`/groups/${group.id}/members/${owner.id}`, { access_level: 40 })
    expect(await listed('?owned=true')).toEqual(['d'])
    await forge.as(owner).post(`/projects/${open.id}/star`)
    expect(await listed('?starred=true')).toEqual(['b'])
    await forge.as(owner).put(`/projects/${open.id}`, { issues_enabled: false })
    await forge.as(owner).put(`/projects/${shared.id}`, { merge_requests_enabled: false })
    expect(await listed('?with_issues_enabled=true')).toEqual(['d', 'a'])
    expect(await listed('?with_merge_requests_enabled=true')).toEqual(['b', 'a'])
    await forge.as(forge.root).put(`/projects/${open.id}/custom_attributes/room`, { value: '12' })
    const noted = await forge.as(forge.root).get(`/groups/${group.id}/projects?with_custom_attributes=true&custom_attributes[room]=12`)
    expect(noted.body).toMatchObject([{ id: open.id, custom_attributes: [{ key: 'room', value: '12' }] }])
    const wrong = await forge.as(owner).get(`/groups/${group.id}/projects?order_by=size`)
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'order_by does not have a valid value' }])
  })

  test('can be joined by a project that an administrator transfers, and nobody else', async () => {
    const group = await forge.group({ owner })
    const project = await forge.project({ owner, files: null })
    const at = `/groups/${group.id}/projects/${encodeURIComponent(project.full_path)}`
    const refused = await forge.as(owner).post(at)
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    const { status, body } = await forge.as(forge.root).post(at)
    expect([status, body.id, body.projects[0].path_with_namespace]).toEqual([201, group.id, `${group.path}/${project.path}`])
    expect((await forge.as(forge.root).post(`/groups/${group.id}/projects/999999`)).body).toEqual({ message: '404 Project Not Found' })
    expect((await forge.as(forge.root).post(`/groups/999999/projects/${project.id}`)).body).toEqual({ message: '404 Group Not Found' })
    const again = await forge.as(forge.root).post(`/groups/${group.id}/projects/${project.id}`)
    expect([again.status, again.body.message]).toEqual([400, expect.stringMatching(/^Failed to transfer project /)])
  })
})
