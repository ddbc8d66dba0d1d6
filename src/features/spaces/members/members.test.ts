/** Members of projects and groups through the API: levels, inheritance, and who may change whom. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { ghostUser } from '../user-deletion/ghost.service.ts'
import { removeExpiredJob } from './members.jobs.ts'

let forge: Forge
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const today = new Date().toISOString().slice(0, 10)
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  forge = await testForge()
})

const memberOf = ({ id, name, username }: TestUser, access_level: number, expires_at: string | null = null) => ({
  id,
  name,
  username,
  state: 'active',
  avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
  web_url: `http://gitstead.test/${username}`,
  access_level,
  expires_at,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  membership_state: 'active',
})

/** Which of two have a membership with an end, come or to come. */
const endingOf = (one: TestUser, other: TestUser) =>
  forge.app.db
    .selectFrom('members')
    .select('user_id')
    .where('user_id', 'in', [one.id, other.id])
    .where('expires_at', 'is not', null)
    .execute()

/** A project and a group, each with a manager who may change its members and with one who may not. */
async function places() {
  const [manager, developer] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: manager, developer })
  const project = await forge.project({ maintainer: manager, developer, files: null })
  return [
    { at: `/projects/${project.id}/members`, manager, developer, levels: [10, 20, 30, 40], refused: [0, 15, 50, 60] },
    { at: `/groups/${group.id}/members`, manager, developer, levels: [10, 20, 30, 40, 50], refused: [0, 15, 60] },
  ]
}

describe('a member', () => {
  test('is added, changed and removed by those who manage the place', async () => {
    for (const { at, manager } of await places()) {
      const user = await forge.user()
      const client = forge.as(manager)
      const added = await client.post(at, { user_id: user.id, access_level: 20, expires_at: tomorrow })
      expect([added.status, added.body]).toEqual([201, memberOf(user, 20, tomorrow)])
      expect((await client.get(`${at}/${user.id}`)).body).toEqual(memberOf(user, 20, tomorrow))
      const changed = await client.put(`${at}/${user.id}`, { access_level: 30 })
      expect([changed.status, changed.body]).toEqual([200, memberOf(user, 30, tomorrow)])
      expect((await client.put(`${at}/${user.id}`, { access_level: 30, expires_at: null })).body).toEqual(memberOf(user, 30))
      await client.put(`${at}/${user.id}`, { access_level: 30, expires_at: tomorrow })
      expect((await client.put(`${at}/${user.id}?access_level=30&expires_at=`)).body).toEqual(memberOf(user, 30))
      const removed = await client.delete(`${at}/${user.id}`)
      expect([removed.status, removed.text]).toEqual([204, ''])
      const gone = await client.get(`${at}/${user.id}`)
      expect([gone.status, gone.body]).toEqual([404, { message: '404 Not found' }])
    }
  })

  test('is not added, changed or removed by a developer, who sees the others nevertheless', async () => {
    for (const { at, manager, developer } of await places()) {
      const user = await forge.user()
      const client = forge.as(developer)
      const answers = [
        await client.post(at, { user_id: user.id, access_level: 40 }),
        await client.put(`${at}/${developer.id}`, { access_level: 40 }),
        await client.put(`${at}/${manager.id}`, { access_level: 10 }),
        await client.delete(`${at}/${manager.id}`),
      ]
      for (const { status, body } of answers) expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
      expect((await client.get(at)).body).toContainEqual(memberOf(developer, 30))
      expect((await client.get(`${at}/${user.id}`)).status).toBe(404)
    }
  })

  test('may leave, whatever their level', async () => {
    for (const { at, developer } of await places()) {
      expect((await forge.as(developer).delete(`${at}/${developer.id}`)).status).toBe(204)
      expect((await forge.as(developer).get(at)).status).toBe(404)
    }
  })

  test('changed after If-Unmodified-Since is not removed', async () => {
    for (const { at, manager, developer } of await places()) {
      const since = (offset: number) => ({ headers: { 'if-unmodified-since': new Date(Date.now() + offset).toUTCString() } })
      const member = () => forge.app.db.selectFrom('members').where('user_id', '=', developer.id)
      await forge.app.db
        .updateTable('members')
        .set({ created_at: '2020-01-01T00:00:00.000Z' })
        .where('user_id', '=', developer.id)
        .execute()
      await forge.as(manager).put(`${at}/${developer.id}`, { access_level: 20 })
      const early = await forge.as(manager).delete(`${at}/${developer.id}`, undefined, since(-60_000))
      expect([early.status, early.body]).toEqual([412, { message: '412 Precondition Failed' }])
      expect(await member().select('access_level').execute()).toContainEqual({ access_level: 20 })
      expect((await forge.as(manager).delete(`${at}/${developer.id}`, undefined, since(60_000))).status).toBe(204)
    }
  })

  test('can have the levels of the place and no others', async () => {
    for (const { at, manager, levels, refused } of await places()) {
      const user = await forge.user()
      for (const access_level of refused) {
        const { status, body } = await forge.as(manager).post(at, { user_id: user.id, access_level })
        expect([at, access_level, status, body]).toEqual([
          at,
          access_level,
          400,
          { message: { access_level: ['is not included in the list'] } },
        ])
      }
      expect((await forge.as(manager).post(at, { user_id: user.id, access_level: 10 })).status).toBe(201)
      for (const access_level of levels) {
        expect((await forge.as(manager).put(`${at}/${user.id}`, { access_level })).body.access_level).toBe(access_level)
      }
      for (const access_level of refused) {
        expect((await forge.as(manager).put(`${at}/${user.id}`, { access_level })).status).toBe(400)
        expect((await forge.as(manager).get(`${at}/${user.id}`)).body.access_level).toBe(levels.at(-1))
      }
    }
  })

  test('is rejected with the reason for an existing member, an unknown user, and missing or malformed values', async () => {
    for (const { at, manager, developer } of await places()) {
      const { id } = await forge.user()
      for (const [sent, status, body] of [
        [{ user_id: developer.id, access_level: 20 }, 409, { message: 'Member already exists' }],
        [{ user_id: developer.id, access_level: 15 }, 409, { message: 'Member already exists' }],
        [{ user_id: 999_999, access_level: 20 }, 404, { message: '404 User Not Found' }],
        [{ user_id: 0, access_level: 20 }, 404, { message: '404 User Not Found' }],
        [{ user_id: -1, access_level: 20 }, 400, { error: 'user_id does not have a valid value' }],
        [{ user_id: id }, 400, { error: 'access_level is missing' }],
        [{ access_level: 20 }, 400, { error: 'user_id is missing' }],
        [{ user_id: id, access_level: 'developer' }, 400, { error: 'access_level is invalid' }],
        [{ user_id: id, access_level: 20, expires_at: 'soon' }, 400, { error: 'expires_at is invalid' }],
        [{ user_id: id, access_level: 20, expires_at: '2030-02-30' }, 400, { error: 'expires_at is invalid' }],
      ] as const) {
        const answer = await forge.as(manager).post(at, sent)
        expect([sent, answer.status, answer.body]).toEqual([sent, status, body])
      }
      expect((await forge.as(manager).get(`${at}/${id}`)).status).toBe(404)
      expect((await forge.as(manager).put(`${at}/${id}`, { access_level: 20 })).status).toBe(404)
      expect((await forge.as(manager).delete(`${at}/${id}`)).status).toBe(404)
      expect((await forge.as(manager).get(`${at}/0`)).body).toEqual({ message: '404 Not found' })
      expect((await forge.as(manager).put(`${at}/${developer.id}`)).body).toEqual({ error: 'access_level is missing' })
    }
  })

  test('with a past expiry is no member any more', async () => {
    for (const { at, manager, developer } of await places()) {
      const user = await forge.user()
      const added = await forge.as(manager).post(at, { user_id: user.id, access_level: 30, expires_at: yesterday })
      expect([added.status, added.body]).toEqual([201, memberOf(user, 30, yesterday)])
      const changed = await forge.as(manager).put(`${at}/${developer.id}`, { access_level: 20, expires_at: today })
      expect([changed.status, changed.body]).toEqual([200, memberOf(developer, 20, today)])
      for (const one of [user, developer]) {
        expect((await forge.as(one).get(at)).status).toBe(404)
        expect((await forge.as(manager).get(`${at}/${one.id}`)).status).toBe(404)
        expect((await forge.as(manager).put(`${at}/${one.id}`, { access_level: 40 })).status).toBe(404)
      }
      await removeExpiredJob.handle(forge.app, {})
      expect(await endingOf(user, developer)).toEqual([])
    }
  })

  test('is never the Ghost User, who could do nothing for the place', async () => {
    const ghost = await ghostUser(forge.app)
    for (const { at, manager } of await places()) {
      const { status, body } = await forge.as(manager).post(at, { user_id: ghost.id, access_level: 30 })
      expect([at, status, body]).toEqual([at, 404, { message: '404 User Not Found' }])
    }
  })

  test('whose membership has expired can be added again', async () => {
    for (const { at, manager, developer } of await places()) {
      await forge.app.db.updateTable('members').set({ expires_at: yesterday }).where('user_id', '=', developer.id).execute()
      expect((await forge.as(developer).get(at)).status).toBe(404)
      expect((await forge.as(manager).get(at)).body).not.toContainEqual(expect.objectContaining({ id: developer.id }))
      expect((await forge.as(manager).get(`${at}/all`)).body).not.toContainEqual(expect.objectContaining({ id: developer.id }))
      expect((await forge.as(manager).post(at, { user_id: developer.id, access_level: 20 })).status).toBe(201)
      expect((await forge.as(developer).get(at)).status).toBe(200)
    }
  })

  test('whose membership has expired is removed by a job, and nobody else is', async () => {
    for (const { at, manager, developer } of await places()) {
      const lasting = await forge.user()
      await forge.as(manager).post(at, { user_id: lasting.id, access_level: 10, expires_at: tomorrow })
      await forge.app.db.updateTable('members').set({ expires_at: yesterday }).where('user_id', '=', developer.id).execute()
      await removeExpiredJob.handle(forge.app, {})
      expect(await endingOf(developer, lasting)).toEqual([{ user_id: lasting.id }])
    }
  })

  test('of a project leaves events of joining and leaving; of a group, or on failure, none', async () => {
    const eventsOf = async ({ id }: TestUser) => {
      const rows = await forge.app.db
        .selectFrom('events')
        .select(['action', 'project_id'])
        .where('author_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(({ action, project_id }) => `${action} ${project_id}`)
    }
    for (const { at, manager } of await places()) {
      const [, kind, id] = at.split('/')
      const told = (...actions: string[]) => (kind === 'projects' ? actions.map((action) => `${action} ${id}`) : [])
      const user = await forge.user()
      const add = (body = {}) => forge.as(manager).post(at, { user_id: user.id, access_level: 20, ...body })
      await add()
      await add()
      await add({ access_level: 15 })
      await forge.as(manager).put(`${at}/${user.id}`, { access_level: 30 })
      expect(await eventsOf(user)).toEqual(told('joined'))
      await forge.as(user).delete(`${at}/${user.id}`)
      await add({ expires_at: tomorrow })
      await forge.app.db.updateTable('members').set({ expires_at: yesterday }).where('user_id', '=', user.id).execute()
      await removeExpiredJob.handle(forge.app, {})
      await removeExpiredJob.handle(forge.app, {})
      expect(await eventsOf(user)).toEqual(told('joined', 'left', 'joined', 'expired'))
      await add({ expires_at: tomorrow })
      await forge.app.db.updateTable('members').set({ expires_at: yesterday }).where('user_id', '=', user.id).execute()
      await add()
      expect((await eventsOf(user)).slice(4)).toEqual(told('joined', 'expired', 'joined'))
      expect(await eventsOf(manager)).toEqual([])
    }
  })

  test('added five times at once is added once', async () => {
    for (const { at, manager } of await places()) {
      const { id } = await forge.user()
      const answers = await Promise.all(Array.from({ length: 5 }, () => forge.as(manager).post(at, { user_id: id, access_level: 20 })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    }
  })
})

describe('the list of members', () => {
  test('is for users who can see the place', async () => {
    for (const { at } of await places()) {
      const anonymous = await forge.anonymous.get(at)
      expect([anonymous.status, anonymous.body]).toEqual([401, { message: '401 Unauthorized' }])
      expect((await forge.as(await forge.user()).get(at)).status).toBe(404)
    }
  })

  test('is searched by name and user name, and comes in pages', async () => {
    for (const { at, manager } of await places()) {
      const users = [await forge.user({ name: 'Zed One' }), await forge.user({ name: 'Zed Two' })]
      for (const { id } of users) await forge.as(manager).post(at, { user_id: id, access_level: 10 })
      for (const list of [at, `${at}/all`]) {
        const ids = async (query: string) => (await forge.as(manager).get(`${list}?${query}`)).body.map(({ id }: { id: number }) => id)
        expect(await ids('query=zed')).toEqual(users.map(({ id }) => id))
        expect(await ids(`query=${users[1]?.username}`)).toEqual([users[1]?.id])
        expect(await ids('query=')).toEqual(expect.arrayContaining([manager.id, ...users.map(({ id }) => id)]))
        expect(await ids('query=example.com')).toEqual([])
        // Whose an address is, is told to administrators, and to whose it is.
        const byAddress = `${list}?query=${encodeURIComponent(users[1]?.email.toUpperCase() as string)}`
        expect((await forge.as(manager).get(byAddress)).body).toEqual([])
        for (const who of [users[1] as TestUser, forge.root])
          expect((await forge.as(who).get(byAddress)).body.map(({ id }: { id: number }) => id)).toEqual([users[1]?.id])
        const page = await forge.as(manager).get(`${list}?query=zed&per_page=1&page=2`)
        expect([page.body.length, page.headers['x-total']]).toEqual([1, '2'])
      }
    }
  })

  test('includes each inherited member once with `all`, with their highest level', async () => {
    const [direct, above, both, twice] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
    const top = await forge.group({ developer: above, maintainer: both, guest: twice })
    const low = await forge.group({ parent: top, reporter: twice })
    const project = await forge.project({ group: low, reporter: both, guest: direct, files: null })
    const levels = async (path: string) => {
      const { body, headers } = await forge.as(forge.root).get(path)
      expect(headers['x-total']).toBe(String(body.length))
      return body.map((member: { id: number; access_level: number }) => [member.id, member.access_level])
    }
    const owner = [forge.root.id, 50]
    const inherited = [
      [above.id, 30],
      [both.id, 40],
    ]
    expect(await levels(`/groups/${low.id}/members/all`)).toEqual([owner, ...inherited, [twice.id, 20]])
    expect(await levels(`/projects/${project.id}/members/all`)).toEqual([owner, [direct.id, 10], ...inherited, [twice.id, 20]])
    expect(await levels(`/projects/${project.id}/members`)).toEqual(
      expect.arrayContaining([
        [both.id, 20],
        [direct.id, 10],
      ]),
    )
    expect(await levels(`/projects/${project.id}/members`)).toHaveLength(2)
  })
})

test('members of a group a project is shared with are visible to those who see the group or manage the project', async () => {
  const [owner, inside, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const hidden = await forge.group({ owner, developer: inside, visibility: 'private' })
  const project = await forge.project({ owner, visibility: 'public', files: null })
  await forge.as(owner).post(`/projects/${project.id}/share`, { group_id: hidden.id, group_access: 20 })
  const listed = async (user: TestUser) => {
    const { body, headers } = await forge.as(user).get(`/projects/${project.id}/members/all`)
    return [headers['x-total'], body.map(({ id }: { id: number }) => id)]
  }
  const all = ['3', [forge.root.id, owner.id, inside.id]]
  for (const user of [owner, inside, forge.root]) expect(await listed(user)).toEqual(all)
  expect(await listed(stranger)).toEqual(['1', [owner.id]])
  await forge.as(owner).put(`/groups/${hidden.id}`, { visibility: 'internal' })
  expect(await listed(stranger)).toEqual(all)
})

test('a level in a group above counts in everything below', async () => {
  const reporter = await forge.user()
  const top = await forge.group({ reporter })
  const project = await forge.project({ group: await forge.group({ parent: await forge.group({ parent: top }) }) })
  expect((await forge.as(reporter).get(`/projects/${project.id}/repository/tree`)).status).toBe(200)
  await forge.as(forge.root).put(`/groups/${top.id}/members/${reporter.id}`, { access_level: 10 })
  expect((await forge.as(reporter).get(`/projects/${project.id}/repository/tree`)).status).toBe(403)
  await forge.as(forge.root).delete(`/groups/${top.id}/members/${reporter.id}`)
  expect((await forge.as(reporter).get(`/projects/${project.id}/repository/tree`)).status).toBe(404)
})

describe('the owner', () => {
  test('of a personal project is its member for good', async () => {
    const [owner, maintainer] = [await forge.user(), await forge.user()]
    const project = await forge.project({ owner, maintainer, files: null })
    const at = `/projects/${project.id}/members`
    for (const user of [maintainer, owner, forge.root]) {
      expect((await forge.as(user).delete(`${at}/${owner.id}`)).status).toBe(403)
      expect((await forge.as(user).put(`${at}/${owner.id}`, { access_level: 10 })).status).toBe(403)
    }
    expect((await forge.as(owner).get(`${at}/${owner.id}`)).body).toEqual(memberOf(owner, 40))
  })

  test('cannot leave or be demoted as the last owner of a group, not even by administrators', async () => {
    const owner = await forge.user()
    const { body: group } = await forge.as(owner).post('/groups', { name: 'Last', path: 'last' })
    const at = `/groups/${group.id}/members/${owner.id}`
    for (const client of [forge.as(owner), forge.as(forge.root)]) {
      for (const answer of [await client.delete(at), await client.put(at, { access_level: 40 })]) {
        expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden - The last owner of a group cannot leave it' }])
      }
    }
    expect((await forge.as(owner).get(at)).body.access_level).toBe(50)
  })

  test('of a group who is the last without expiry can’t be given one, be demoted or leave', async () => {
    const [owner, other] = [await forge.user(), await forge.user()]
    const { body: group } = await forge.as(owner).post('/groups', { name: 'For Good', path: 'for-good' })
    const at = `/groups/${group.id}/members`
    const refused = [403, { message: '403 Forbidden - The last owner of a group cannot leave it' }]
    await forge.as(owner).post(at, { user_id: other.id, access_level: 50, expires_at: tomorrow })
    for (const answer of [
      await forge.as(owner).put(`${at}/${owner.id}`, { access_level: 50, expires_at: tomorrow }),
      await forge.as(other).put(`${at}/${owner.id}`, { access_level: 30 }),
      await forge.as(owner).delete(`${at}/${owner.id}`),
    ]) {
      expect([answer.status, answer.body]).toEqual(refused)
    }
    expect((await forge.as(owner).get(`${at}/${owner.id}`)).body).toEqual(memberOf(owner, 50))
    expect((await forge.as(owner).put(`${at}/${owner.id}`, { access_level: 50 })).status).toBe(200)
    await forge.as(owner).put(`${at}/${other.id}`, { access_level: 50, expires_at: null })
    expect((await forge.as(owner).delete(`${at}/${owner.id}`)).status).toBe(204)
  })

  test('of a group with two who leave at the same moment: one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await forge.user(), await forge.user()]
      const { body: group } = await forge.as(one).post('/groups', { name: 'Two', path: `two${round}` })
      await forge.as(one).post(`/groups/${group.id}/members`, { user_id: two.id, access_level: 50 })
      const answers = await Promise.all([
        forge.as(one).delete(`/groups/${group.id}/members/${one.id}`),
        forge.as(two).put(`/groups/${group.id}/members/${two.id}`, { access_level: 10 }),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status === 403)).toHaveLength(1)
      const { body } = await forge.as(forge.root).get(`/groups/${group.id}/members`)
      expect(body.filter(({ access_level }: { access_level: number }) => access_level === 50)).toHaveLength(1)
    }
  })
})
