/** Deleting users: what goes, what the Ghost User keeps, and that nothing is left half. */
import { access } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { tryGit } from '../../../../test/support/git.ts'
import { gate, untilOneWaits } from '../../../../test/support/locks.ts'
import { inTransaction } from '../../../db/database.ts'
import { ghostUser } from './ghost.service.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const root = () => forge.as(forge.root)
const remove = (user: { id: number }, query = '') => root().delete(`/users/${user.id}${query}`)

/** A user who has done something in a project of others: pushed, said something, set a status, starred it, made it. */
async function contributor() {
  const user = await forge.user()
  const project = await forge.project({ developer: user })
  await forge.app.db.updateTable('events').set({ author_id: user.id }).where('project_id', '=', project.id).execute()
  await forge.app.db.updateTable('projects').set({ creator_id: user.id }).where('id', '=', project.id).execute()
  await forge.as(user).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Well done' })
  await forge.as(user).post(`/projects/${project.id}/statuses/main`, { state: 'success' })
  await forge.as(user).post(`/projects/${project.id}/star`)
  return { user, project }
}

const repositoryExists = (projectId: number) =>
  access(forge.app.git.open(projectId).dir).then(
    () => true,
    () => false,
  )

const authorsOf = async (projectId: number) => {
  const { db } = forge.app
  const events = await db.selectFrom('events').select('author_id').where('project_id', '=', projectId).execute()
  const comments = await db.selectFrom('notes').select('author_id').where('project_id', '=', projectId).execute()
  const statuses = await db.selectFrom('commit_statuses').select('author_id').where('project_id', '=', projectId).execute()
  return {
    events: events.map(({ author_id }) => author_id),
    comments: comments.length,
    statuses: statuses.map(({ author_id }) => author_id),
  }
}

describe('a deleted user', () => {
  test('is gone at once, can’t authenticate any more, and the username and addresses are free', async () => {
    const user = await forge.user({ password: 'a long password' })
    await forge.as(user).post('/user/emails', { email: `more-${user.username}@example.com` })
    const key = { title: 'Laptop', key: publicKey() }
    await forge.as(user).post('/user/keys', key)
    const { status, text } = await remove(user)
    expect([status, text]).toEqual([204, ''])
    expect((await root().get(`/users/${user.id}`)).status).toBe(404)
    expect((await forge.as(user).get('/user')).status).toBe(401)
    expect((await forge.anonymous.get(`/users?username=${user.username}`)).body).toEqual([])
    const again = await forge.user({ username: user.username, email: `more-${user.username}@example.com` })
    expect((await forge.as(again).post('/user/keys', key)).status).toBe(201)
    const twice = await remove(user)
    expect([twice.status, twice.body]).toEqual([404, { message: '404 User Not Found' }])
  })

  test('deletes the user’s own projects, repositories and files included', async () => {
    const user = await forge.user()
    const project = await forge.project({ owner: user })
    const { payload, headers } = asForm({ avatar: onePixel })
    await root().put(`/users/${user.id}`, payload, { headers })
    const { avatar_key } = await forge.app.db.selectFrom('users').select('avatar_key').where('id', '=', user.id).executeTakeFirstOrThrow()
    expect(await repositoryExists(project.id)).toBe(true)
    expect((await remove(user)).status).toBe(204)
    expect((await root().get(`/projects/${project.id}`)).status).toBe(404)
    expect((await root().get(`/namespaces/${user.username}`)).status).toBe(404)
    await forge.drain()
    expect(await repositoryExists(project.id)).toBe(false)
    const waiting = await forge.app.db.selectFrom('unreferenced_objects').select('key').execute()
    expect(waiting).toContainEqual({ key: avatar_key })
  })

  test('moves the user’s contributions to the Ghost User', async () => {
    const { user, project } = await contributor()
    expect((await authorsOf(project.id)).events).toContain(user.id)
    expect((await remove(user)).status).toBe(204)
    const ghost = await ghostUser(forge.app)
    const { events, comments, statuses } = await authorsOf(project.id)
    expect([new Set(events), comments, statuses]).toEqual([new Set([ghost.id]), 1, [ghost.id]])
    const shown = await root().get(`/projects/${project.id}/repository/commits/main/comments`)
    expect(shown.body[0].author).toEqual({
      id: ghost.id,
      name: 'Ghost User',
      username: ghost.username,
      state: 'active',
      avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
      web_url: `http://gitstead.test/${ghost.username}`,
    })
    const account = (await root().get(`/users/${ghost.id}`)).body
    const listed = (await root().get('/users?active=true&per_page=100')).body.map(({ id }: { id: number }) => id)
    expect([account.state, listed.includes(ghost.id)]).toEqual(['active', false])
    expect((await root().get(`/user?sudo=${ghost.id}`)).status).toBe(403)
    expect((await root().get(`/projects/${project.id}`)).body).toMatchObject({ creator_id: ghost.id, star_count: 0 })
  })

  test('with hard_delete removes the user’s contributions', async () => {
    const { user, project } = await contributor()
    expect((await remove(user, '?hard_delete=true')).status).toBe(204)
    expect(await authorsOf(project.id)).toEqual({ events: [], comments: 0, statuses: [null] })
    expect((await root().get(`/projects/${project.id}`)).body).toMatchObject({ star_count: 0 })
  })

  test('who is the sole owner of a group is kept until it has another owner', async () => {
    const user = await forge.user()
    const other = await forge.user()
    const project = await forge.project({ owner: user })
    const { body: group } = await forge.as(user).post('/groups', { name: `of-${user.username}`, path: `of-${user.username}` })
    const refused = await remove(user)
    expect([refused.status, refused.body]).toEqual([409, { message: 'User cannot be removed while being the only owner of a group' }])
    expect((await forge.as(user).get(`/projects/${project.id}`)).status).toBe(200)
    await root().post(`/groups/${group.id}/members`, { user_id: other.id, access_level: 50 })
    expect((await remove(user)).status).toBe(204)
    expect((await forge.as(other).get(`/groups/${group.id}`)).status).toBe(200)
  })

  test('and the other owner of a group, deleted at the same moment: one of the two stays', async () => {
    for (const query of ['', '?hard_delete=true']) {
      const [one, two] = [await forge.user(), await forge.user()]
      const tops = [await forge.group({ owner: one }), await forge.group({ owner: one })]
      const groups = [...tops, ...(await Promise.all(tops.map((parent) => forge.group({ parent }))))]
      for (const { id } of groups) {
        for (const user of [one, two]) await root().post(`/groups/${id}/members`, { user_id: user.id, access_level: 50 })
        await root().delete(`/groups/${id}/members/${forge.root.id}`)
      }
      const answers = await Promise.all([remove(one, query), remove(two, query)])
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual(query === '' ? [204, 409] : [204, 204])
      const left = await forge.app.db
        .selectFrom('namespaces')
        .select('id')
        .where(
          'id',
          'in',
          groups.map(({ id }) => id),
        )
        .execute()
      expect(left).toHaveLength(query === '' ? 4 : 0)
    }
  })

  test('is not broken by groups and tokens created at the same time', async () => {
    const user = await forge.user()
    const paths = Array.from({ length: 5 }, (_, index) => `${user.username}-${index}`)
    const answers = await Promise.all([
      ...paths.map((path) => forge.as(user).post('/groups', { name: path, path })),
      remove(user, '?hard_delete=true'),
      ...paths.map((path) => forge.as(user).post('/user/personal_access_tokens', { name: path, scopes: ['api'] })),
    ])
    expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([])
  })

  test.runIf(engine === 'postgres')('keeps a user who creates a group during the deletion', async () => {
    const user = await forge.user()
    const { id } = await forge.project({ owner: user, files: null })
    const [held, released] = [gate(), gate()]
    // The deletion removes the user's projects first, and waits for this one.
    const holding = inTransaction(forge.app.db, async (tx) => {
      await tx.updateTable('projects').set({ id }).where('id', '=', id).execute()
      held.open()
      await released.isOpen
    })
    await held.isOpen
    const removal = remove(user)
    await untilOneWaits(forge.app.db)
    const { body: group } = await forge.as(user).post('/groups', { name: user.username, path: `of-${user.username}` })
    released.open()
    await holding
    expect((await removal).status).toBe(409)
    const { body: members } = await root().get(`/groups/${group.id}/members`)
    expect(members.map((member: { id: number }) => member.id)).toEqual([user.id])
  })

  test('with hard_delete removes the groups that nobody else owns, with all in them, and no others', async () => {
    const user = await forge.user()
    const other = await forge.user()
    const { body: alone } = await forge.as(user).post('/groups', { name: `a-${user.username}`, path: `a-${user.username}` })
    const { body: below } = await forge.as(user).post('/groups', { name: 'below', path: 'below', parent_id: alone.id })
    const { body: shared } = await forge.as(user).post('/groups', { name: `s-${user.username}`, path: `s-${user.username}` })
    await forge.as(user).post('/groups', { name: 'below', path: 'below', parent_id: shared.id })
    await root().post(`/groups/${shared.id}/members`, { user_id: other.id, access_level: 50 })
    const { body: project } = await forge.as(user).post('/projects', { name: 'deep', namespace_id: below.id })
    expect((await remove(user, '?hard_delete=true')).status).toBe(204)
    for (const path of [`/groups/${alone.id}`, `/groups/${below.id}`, `/projects/${project.id}`]) {
      expect([path, (await root().get(path)).status]).toEqual([path, 404])
    }
    expect((await forge.as(other).get(`/groups/${shared.id}`)).status).toBe(200)
    expect((await forge.as(other).get(`/groups/${shared.full_path}%2Fbelow`)).status).toBe(200)
    await forge.drain()
    expect(await repositoryExists(project.id)).toBe(false)
  })

  test('lets a push that is under way come to its end, in the name of the Ghost User', async () => {
    const { user, project } = await contributor()
    for (const query of ['', '?hard_delete=true']) {
      const pusher = query === '' ? user : await forge.user()
      const row = {
        project_id: project.id,
        user_id: pusher.id,
        process: 'elsewhere 1 1',
        changes: '[]',
        created_at: new Date().toISOString(),
      }
      const { id } = await forge.app.db.insertInto('push_intents').values(row).returning('id').executeTakeFirstOrThrow()
      expect((await remove(pusher, query)).status).toBe(204)
      const { user_id } = await forge.app.db.selectFrom('push_intents').select('user_id').where('id', '=', id).executeTakeFirstOrThrow()
      expect(user_id).toBe((await ghostUser(forge.app)).id)
      await forge.app.db.deleteFrom('push_intents').where('id', '=', id).execute()
    }
  })

  test('deleted by ten requests at once is deleted once', async () => {
    const { user, project } = await contributor()
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(user)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)])
    expect((await authorsOf(project.id)).comments).toBe(1)
  })

  test('is deleted by administrators only, and not when changed after If-Unmodified-Since', async () => {
    const user = await forge.user()
    const headers = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
    expect((await forge.as(user).delete(`/users/${user.id}`)).status).toBe(403)
    expect((await forge.anonymous.delete(`/users/${user.id}`)).status).toBe(401)
    expect((await root().delete(`/users/${user.id}`, undefined, { headers })).status).toBe(412)
    const wrong = await remove(user, '?hard_delete=perhaps')
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'hard_delete is invalid' }])
    expect((await forge.as(user).get('/user')).status).toBe(200)
  })
})

describe('the Ghost User', () => {
  test('is created once, however many need it at the same time, under another name where its name is taken', async () => {
    const { db } = forge.app
    const ghosts = db.selectFrom('users').select('id').where('kind', '=', 'ghost')
    await db.deleteFrom('notes').where('author_id', 'in', ghosts).execute()
    await db.deleteFrom('users').where('kind', '=', 'ghost').execute()
    await forge.user({ username: 'ghost', email: 'somebody@example.com' })
    const found = await Promise.all(Array.from({ length: 10 }, () => ghostUser(forge.app)))
    expect(new Set(found.map(({ id }) => id)).size).toBe(1)
    expect(found[0]).toMatchObject({ username: 'ghost1', name: 'Ghost User', kind: 'ghost' })
    expect(await db.selectFrom('users').select('id').where('kind', '=', 'ghost').execute()).toHaveLength(1)
  })

  test('cannot be changed, blocked, unblocked, deleted or impersonated, and is listed neither as active nor as blocked', async () => {
    const ghost = await ghostUser(forge.app)
    const answers = [
      await root().put(`/users/${ghost.id}`, { name: 'Somebody', password: 'long enough', admin: true }),
      await root().post(`/users/${ghost.id}/block`),
      await root().post(`/users/${ghost.id}/unblock`),
      await remove(ghost),
      await remove(ghost, '?hard_delete=true'),
    ]
    for (const { status, body } of answers)
      expect([status, body]).toEqual([403, { message: '403 Forbidden - The Ghost User cannot be changed' }])
    expect((await forge.as(forge.root, { headers: { sudo: ghost.username } }).get('/user')).status).toBe(403)
    const token = await forge.token(ghost)
    expect((await forge.as(ghost as TestUser, { token }).get('/user')).status).toBe(403)
    const project = await forge.project({ visibility: 'internal' })
    const remote = await forge.remote(project, { ...(ghost as TestUser), token })
    expect((await tryGit(await forge.folder(), 'ls-remote', remote)).code).toBe(128)
    for (const filter of ['active=true', 'blocked=true']) {
      expect((await root().get(`/users?username=${ghost.username}&${filter}`)).body).toEqual([])
    }
    expect((await root().get(`/users?username=${ghost.username}`)).body).toHaveLength(1)
  })
})
