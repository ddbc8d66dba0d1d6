/** Archiving, starring and moving projects, their users, and races for a path. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { inTransaction } from '../../../db/database.ts'
import { lockWithForks } from './forks.queries.ts'

let forge: Forge
let owner: TestUser

beforeAll(async () => {
  forge = await testForge()
  owner = await forge.user({ username: 'owner' })
})

const ids = (body: Array<{ id: number }>) => body.map(({ id }) => id)
const shown = async (id: number) => (await forge.as(forge.root).get(`/projects/${id}`)).body

describe('an archived project', () => {
  test('is archived and unarchived by owners only, idempotently', async () => {
    const maintainer = await forge.user()
    const project = await forge.project({ owner, maintainer, visibility: 'public' })
    for (const [action, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
      ['unarchive', false],
    ] as const) {
      const refused = await forge.as(maintainer).post(`/projects/${project.id}/${action}`)
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
      const { status, body } = await forge.as(owner).post(`/projects/${project.id}/${action}`)
      expect([status, body.id, body.archived]).toEqual([201, project.id, archived])
      expect((await shown(project.id)).archived).toBe(archived)
    }
  })

  test('is read and starred, and is changed through no endpoint', async () => {
    const project = await forge.project({ owner })
    const at = `/projects/${project.id}`
    await forge.as(owner).post(`${at}/protected_tags`, { name: 'v*' })
    expect((await forge.as(owner).post(`${at}/archive`)).status).toBe(201)
    const file = { branch: 'main', content: 'x', commit_message: 'x' }
    const writes: Array<[method: string, path: string, body?: object]> = [
      ['POST', '/repository/branches', { branch: 'b', ref: 'main' }],
      ['DELETE', '/repository/branches/main'],
      ['PUT', '/repository/branches/main/protect', {}],
      ['PUT', '/repository/branches/main/unprotect', {}],
      ['POST', '/repository/tags', { tag_name: 't', ref: 'main' }],
      ['POST', '/repository/files/new', file],
      ['PUT', '/repository/files/README.md', file],
      ['DELETE', '/repository/files/README.md', { branch: 'main', commit_message: 'x' }],
      [
        'POST',
        '/repository/commits',
        { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'b', content: '' }] },
      ],
      ['POST', '/repository/commits/main/comments', { note: 'x' }],
      ['POST', '/repository/commits/main/cherry_pick', { branch: 'main' }],
      ['POST', '/protected_branches', { name: 'x' }],
      ['DELETE', '/protected_branches/main'],
      ['POST', '/protected_tags', { name: 'x' }],
      ['DELETE', '/protected_tags/v*'],
      ['POST', '/housekeeping'],
      ['POST', '/statuses/main', { state: 'success' }],
    ]
    for (const [method, path, body] of writes) {
      const { status } = await forge.as(owner).request(method, at + path, body)
      expect([method, path, status]).toEqual([method, path, 403])
    }
    expect((await forge.as(owner).get(`${at}/repository/files/README.md?ref=main`)).status).toBe(200)
    expect((await forge.as(owner).post(`${at}/star`)).status).toBe(201)
    expect((await forge.as(owner).get(`${at}/protected_tags`)).body).toHaveLength(1)
    expect((await forge.as(owner).post(`${at}/deploy_keys`, { title: 'x', key: publicKey() })).status).toBe(201)
  })

  test('is listed apart', async () => {
    const group = await forge.group({ owner })
    const named = (n: number) => forge.project({ group, path: `${group.path}-${n}`, files: null })
    const [one, other] = [await named(1), await named(2)]
    await forge.as(owner).post(`/projects/${one.id}/archive`)
    const list = async (archived: string) => ids((await forge.as(owner).get(`/projects?search=${group.path}${archived}`)).body)
    expect([await list(''), await list('&archived=true'), await list('&archived=false')]).toEqual([
      [other.id, one.id],
      [one.id],
      [other.id],
    ])
  })
})

describe('a star', () => {
  test('is counted exactly under concurrency, and starring twice is once', async () => {
    const project = await forge.project({ owner, visibility: 'public' })
    const fans = await Promise.all(Array.from({ length: 5 }, () => forge.user()))
    const all = (action: string) =>
      Promise.all([...fans, ...fans].map(async (fan) => (await forge.as(fan).post(`/projects/${project.id}/${action}`)).status))
    expect((await all('star')).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(304)])
    expect((await shown(project.id)).star_count).toBe(5)
    expect((await all('unstar')).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(304)])
    expect((await shown(project.id)).star_count).toBe(0)
  })

  test('answers with the project, or 304 and no body, and adds it to the user’s starred projects', async () => {
    const fan = await forge.user()
    const project = await forge.project({ owner, visibility: 'internal', files: null })
    const given = await forge.as(fan).post(`/projects/${project.id}/star`)
    expect([given.status, given.body]).toMatchObject([201, { id: project.id, star_count: 1 }])
    expect(given.body).not.toHaveProperty('runners_token')
    const again = await forge.as(fan).post(`/projects/${project.id}/star`)
    expect([again.status, again.text]).toEqual([304, ''])
    expect(ids((await forge.as(fan).get('/projects?starred=true')).body)).toEqual([project.id])
    expect((await forge.as(owner).get('/projects?starred=true&visibility=internal')).body).toEqual([])
    expect((await forge.anonymous.post(`/projects/${project.id}/star`)).status).toBe(401)
  })

  test(
    'is removed with the user’s account, however many stars the user gave',
    inFullRun('1 s of processor. Thousands of stars; `user-deletion.test.ts` has a rule for every row of a user.'),
    async () => {
      const fan = await forge.user()
      const project = await forge.project({ group: await forge.group({ owner }), files: null })
      await forge.as(owner).post(`/projects/${project.id}/star`)
      await starCopies(project.id, fan.id, 33_000)
      const all = forge.app.db.selectFrom('projects').select('star_count').distinct().where('namespace_id', '=', project.namespace_id)
      const counts = async () => (await all.orderBy('star_count').execute()).map(({ star_count }) => star_count)
      expect(await counts()).toEqual([1, 2])

      expect((await forge.as(forge.root).delete(`/users/${fan.id}`)).status).toBe(204)

      expect((await shown(project.id)).star_count).toBe(1)
      expect(await counts()).toEqual([0, 1])
    },
  )

  test('cannot be given to an invisible project', async () => {
    const hidden = await forge.project({ owner, files: null })
    const answer = await forge.as(await forge.user()).post(`/projects/${hidden.id}/star`)
    expect([answer.status, answer.body]).toEqual([404, { message: '404 Project Not Found' }])
  })
})

describe('moving a project', () => {
  test('moves it to the other namespace with everything, and frees the old path', async () => {
    const [group, member] = [await forge.group({ owner }), await forge.user()]
    const below = await forge.group({ parent: group })
    const project = await forge.project({ owner, path: 'wanderer', developer: member })
    for (const [namespace, full_path] of [
      [String(below.id), `${below.full_path}/wanderer`],
      [group.full_path, `${group.full_path}/wanderer`],
      ['owner', 'owner/wanderer'],
    ] as const) {
      const { status, body } = await forge.as(owner).put(`/projects/${project.id}/transfer`, { namespace })
      expect([status, body.id, body.path_with_namespace]).toEqual([200, project.id, full_path])
      const file = `/projects/${encodeURIComponent(full_path)}/repository/files/README.md?ref=main`
      expect((await forge.as(member).get(file)).status).toBe(200)
    }
    expect((await forge.as(owner).get(`/projects/${encodeURIComponent(`${group.full_path}/wanderer`)}`)).status).toBe(404)
  })

  test('into a group that is less open makes it, and its forks, as open as the group', async () => {
    const group = await forge.group({ owner, visibility: 'internal' })
    const project = await forge.project({ owner, visibility: 'public', files: null })
    const fork = await forge.project({ owner: await forge.user(), visibility: 'public', files: null })
    expect((await forge.as(forge.root).post(`/projects/${fork.id}/fork/${project.id}`)).status).toBe(201)
    const { body } = await forge.as(owner).put(`/projects/${project.id}/transfer`, { namespace: group.full_path })
    expect([body.visibility, (await shown(fork.id)).visibility]).toEqual(['internal', 'internal'])
  })

  test('without permission, onto a taken path, or to an unknown namespace is refused', async () => {
    const refusal = (sentence: string) => ({ message: `Failed to transfer project {:new_namespace=>["${sentence}"]}` })
    const no = refusal('Transfer failed, please contact an admin.')
    const [maintainer, limited] = [await forge.user(), await forge.user({ projects_limit: 0 })]
    const [guarded, mine, hidden] = [await forge.group({ developer: owner }), await forge.group({ owner }), await forge.group()]
    const project = await forge.project({ owner, maintainer, path: 'stays', files: null })
    await forge.project({ group: mine, path: 'stays', name: 'Another', files: null })
    const named = await forge.group({ owner })
    await forge.project({ group: named, path: 'elsewhere', name: 'stays', files: null })
    const taken = refusal('Project with same name or path in target namespace already exists')
    const cases: Array<[user: TestUser, namespace: string, status: number, body: object]> = [
      [maintainer, mine.full_path, 403, { message: '403 Forbidden' }],
      [owner, guarded.full_path, 400, no],
      [owner, 'owner', 400, no],
      [owner, mine.full_path, 400, taken],
      [owner, String(named.id), 400, taken],
      [owner, hidden.full_path, 404, { message: '404 Namespace Not Found' }],
      [owner, 'no/where', 404, { message: '404 Namespace Not Found' }],
      [owner, limited.username, 404, { message: '404 Namespace Not Found' }],
    ]
    for (const [user, namespace, status, body] of cases) {
      const answer = await forge.as(user).put(`/projects/${project.id}/transfer`, { namespace })
      expect([namespace, answer.status, answer.body]).toEqual([namespace, status, body])
    }
    const owned = await forge.project({ group: await forge.group({ owner: limited }), files: null })
    const beyond = await forge.as(limited).put(`/projects/${owned.id}/transfer`, { namespace: limited.username })
    expect([beyond.status, beyond.body]).toEqual([400, no])
    expect((await forge.as(owner).put(`/projects/${project.id}/transfer`)).body).toEqual({ error: 'namespace is missing' })
    expect((await shown(project.id)).path_with_namespace).toBe('owner/stays')
  })
})

/** So many rows of projects like this one, all starred by the user, and so is it: more than a statement takes values. */
async function starCopies(id: number, userId: number, count: number): Promise<void> {
  const row = await forge.app.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const columns = Object.keys(row).filter((name) => name !== 'id')
  const values = columns.map((name) => {
    if (name === 'star_count') return sql`1`
    return ['name', 'path', 'runners_token', 'runners_token_digest'].includes(name)
      ? sql`${sql.ref(`one.${name}`)} || n.i`
      : sql.ref(`one.${name}`)
  })
  await sql`insert into projects (${sql.join(columns.map((name) => sql.ref(name)))})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select ${sql.join(values)} from n cross join projects one where one.id = ${id}`.execute(forge.app.db)
  await sql`insert into project_stars (project_id, user_id, created_at)
    select id, ${userId}, created_at from projects where namespace_id = ${row.namespace_id}`.execute(forge.app.db)
  await forge.app.db.updateTable('projects').set({ star_count: 2 }).where('id', '=', id).execute()
}

test('of ten requests racing for one path one gets it', async () => {
  const [group, source] = [await forge.group({ owner }), await forge.group({ owner })]
  const renamed = await Promise.all(Array.from({ length: 3 }, () => forge.project({ group, files: null })))
  const moved = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const from = await forge.group({ parent: source })
      return forge.project({ group: from, path: 'Prize', name: `Mover ${index}`, files: null })
    }),
  )
  const as = forge.as(owner)
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, (_, n) => as.post('/projects', { path: 'prize', name: `New ${n}`, namespace_id: group.id })),
    ...renamed.map(({ id }) => as.put(`/projects/${id}`, { path: 'PRIZE' })),
    ...moved.map(({ id }) => as.put(`/projects/${id}/transfer`, { namespace: group.full_path })),
  ])
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status < 300)).toHaveLength(1)
  expect(statuses.filter((status) => status === 400 || status === 409)).toHaveLength(9)
  const routes = await forge.app.db.selectFrom('routes').select('path_key').where('path_key', '=', `${group.full_path}/prize`).execute()
  expect(routes).toHaveLength(1)
  const { body } = await as.get(`/groups/${group.id}/projects?per_page=100`)
  const wrong = body.filter((one: Record<string, string>) => one.path_with_namespace !== `${group.full_path}/${one.path}`)
  expect(wrong).toEqual([])
})

test('a project moved out of a group being deleted is moved or deleted, nothing between', async () => {
  const target = await forge.group({ owner })
  for (let round = 0; round < 3; round += 1) {
    const group = await forge.group({ owner })
    const projects = await Promise.all(Array.from({ length: 4 }, () => forge.project({ group, files: null })))
    const as = forge.as(owner)

    const [deleted, ...moved] = await Promise.all([
      as.delete(`/groups/${group.id}`),
      ...projects.map(({ id }) => as.put(`/projects/${id}/transfer`, { namespace: target.full_path })),
    ])

    const found = await Promise.all(projects.map(({ id }) => as.get(`/projects/${id}`)))
    expect(deleted.status).toBeLessThan(300)
    expect(found.map(({ status }) => status)).toEqual(moved.map(({ status }) => (status === 200 ? 200 : 404)))
    expect(moved.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
  }
})

test('changing, moving or creating something that is being deleted is not found', async () => {
  const target = await forge.group({ owner })
  const as = forge.as(owner)
  for (let round = 0; round < 4; round += 1) {
    const group = await forge.group({ owner })
    const project = await forge.project({ group, files: null })
    const path = `/projects/${project.id}`

    const [changed, moved, archived, made] = await Promise.all([
      as.put(path, { description: 'x' }),
      as.put(`${path}/transfer`, { namespace: target.full_path }),
      as.post(`${path}/archive`),
      as.post('/projects', { name: 'new', namespace_id: group.id }),
      as.delete(path),
      as.delete(`/groups/${group.id}`),
    ])

    const mayBe = { changed: [200, 404, 409], moved: [200, 404], archived: [201, 404], made: [201, 400, 404] }
    const statuses = { changed: changed.status, moved: moved.status, archived: archived.status, made: made.status }
    for (const [what, lawful] of Object.entries(mayBe))
      expect([what, lawful]).toEqual([what, expect.arrayContaining([statuses[what as keyof typeof statuses]])])
  }
})

test('a fork of a fork that is opened while all are made private is not left open', async () => {
  const chain = []
  for (let count = 0; count < 4; count += 1) chain.push((await forge.project({ visibility: count < 3 ? 'public' : 'private' })).id)
  const [top = 0, , third = 0, last = 0] = chain
  for (const [index, id] of chain.slice(1).entries()) await forge.as(forge.root).post(`/projects/${id}/fork/${chain[index]}`)

  let closing: Promise<{ status: number }> | undefined
  await inTransaction(forge.app.db, async (tx) => {
    await lockWithForks(tx, [last])
    await tx.updateTable('projects').set({ visibility: 'public' }).where('id', '=', last).execute()
    closing = forge.as(forge.root).put(`/projects/${top}`, { visibility: 'private' })
    const {
      rows: [us],
    } = engine === 'postgres' ? await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx) : { rows: [] }
    const waiting = sql`select 1 from pg_stat_activity where ${us?.pid} = any(pg_blocking_pids(pid))`
    const isWaitedFor = async () => (await waiting.execute(forge.app.db)).rows.length > 0
    if (us) await expect.poll(isWaitedFor).toBe(true)
  })

  expect((await closing)?.status).toBe(200)
  const rows = await forge.app.db.selectFrom('projects').select('visibility').where('id', 'in', [top, third, last]).execute()
  expect(rows.map(({ visibility }) => visibility)).toEqual(['private', 'private', 'private'])
})

test('the users of a project are its members of any kind, each once; members by a hidden group are hidden with it', async () => {
  const [above, inGroup, direct, invited, gone] = await Promise.all(Array.from({ length: 5 }, () => forge.user()))
  const group = await forge.group({ owner: above as TestUser })
  const below = await forge.group({ parent: group, developer: inGroup as TestUser })
  const project = await forge.project({ group: below, guest: direct as TestUser, developer: above as TestUser, files: null })
  const partner = await forge.group({ developer: invited as TestUser })
  await forge.as(forge.root).post(`/projects/${project.id}/share`, { group_id: partner.id, group_access: 30 })
  const members = forge.app.db.insertInto('members')
  const past = { namespace_id: null, access_level: 30, expires_at: '2020-01-01', created_at: '2020-01-01T00:00:00.000Z' }
  await members.values({ ...past, project_id: project.id, user_id: (gone as TestUser).id }).execute()

  const { status, body } = await forge.as(above as TestUser).get(`/projects/${project.id}/users`)

  const expected = [above, inGroup, direct, invited].map((user) => user?.username)
  const seen = await forge.as(direct as TestUser).get(`/projects/${project.id}/users`)
  expect(seen.body.map(({ username }: TestUser) => username)).not.toContain(invited?.username)
  expect([seen.status, seen.headers['x-total']]).toEqual([200, String(body.length - 1)])
  // Root made the groups, and owns them.
  expect([status, body.map(({ username }: TestUser) => username).sort()]).toEqual([200, ['root', ...expected].sort()])
  expect(Object.keys(body[0]).sort()).toEqual(['avatar_url', 'id', 'name', 'state', 'username', 'web_url'])
  const found = await forge.as(direct as TestUser).get(`/projects/${project.id}/users?search=${inGroup?.username.toUpperCase()}`)
  expect(ids(found.body)).toEqual([inGroup?.id])
  expect((await forge.as(gone as TestUser).get(`/projects/${project.id}/users`)).status).toBe(404)

  const search = async (client: Forge['anonymous'], words: string) =>
    ids((await client.get(`/projects/${project.id}/users?search=${encodeURIComponent(words)}`)).body)
  await forge.app.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute()
  const address = `${inGroup?.username}@Example.com`
  for (const who of [inGroup as TestUser, forge.root]) expect(await search(forge.as(who), address)).toEqual([inGroup?.id])
  expect(await search(forge.as(forge.root), address.slice(1))).toEqual([])
  // Not even who manages the project learns whose an address is.
  for (const who of [direct as TestUser, above as TestUser]) expect(await search(forge.as(who), address)).toEqual([])
  expect(await search(forge.anonymous, address)).toEqual([])
})
