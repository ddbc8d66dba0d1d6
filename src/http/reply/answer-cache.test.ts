/** Answers that are kept: whoever reads after something was written reads what was written. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openForge, testForge } from '../../../test/support/forge.ts'
import { openDatabase } from '../../db/database.ts'
import { answerCache } from './answer-cache.ts'

test('a cached list shows writes at once, to each caller what they may see', async () => {
  const forge = await testForge()
  const [owner, stranger] = [await forge.user(), await forge.user()]
  const project = await forge.project({ owner, visibility: 'private' })
  const seenBy = async (user: typeof owner) => {
    const { body, headers } = await forge.as(user).get(`/projects?search=${project.path}`)
    return [body.map(({ id, description }: { id: number; description: string }) => [id, description]), headers['x-total']]
  }

  const before = [await seenBy(owner), await seenBy(stranger), await seenBy(owner)]
  await forge.as(owner).put(`/projects/${project.id}`, { visibility: 'public', description: 'Open' })
  const after = [await seenBy(owner), await seenBy(stranger)]

  expect(before).toEqual([
    [[[project.id, null]], '1'],
    [[], '0'],
    [[[project.id, null]], '1'],
  ])
  expect(after).toEqual([
    [[[project.id, 'Open']], '1'],
    [[[project.id, 'Open']], '1'],
  ])
})

test('the second of two same answers has the headers of the first, and HEAD has no body', async () => {
  const forge = await testForge()
  const user = await forge.user()
  await forge.as(user).get('/user')
  const first = await forge.as(user).get('/user')
  const second = await forge.as(user).get('/user')
  const head = await forge.as(user).head('/user')
  const { date: _, ...headers } = first.headers
  const { date: __, ...secondHeaders } = second.headers

  // Noted with the first request of a day, which was answered by the row from before.
  expect(first.body.last_activity_on).toBe(new Date().toISOString().slice(0, 10))
  expect([second.status, second.body, secondHeaders]).toEqual([200, first.body, headers])
  expect([head.status, head.text]).toEqual([200, ''])
})

test('each caller gets their own answer, including writes of other processes', async () => {
  const { app, ...forge } = await testForge()
  const elsewhere = openDatabase(app.config.database_url ?? join(app.config.home, 'gitstead.sqlite'))
  const [owner, member, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, developer: member, visibility: 'internal' })
  const callers = [forge.as(owner), forge.as(member), forge.as(stranger), forge.as(forge.root), forge.anonymous]
  const seen = async () => {
    const answers = []
    for (const caller of callers) answers.push(await caller.get(`/projects/${project.id}`))
    return answers.map(({ status, body }) => [status, body.description, body.runners_token !== undefined, body.permissions?.project_access])
  }
  const maintainer = { access_level: 40, notification_level: 3 }
  const developer = { access_level: 30, notification_level: 3 }
  for (const description of ['first', 'second', 'third']) {
    await elsewhere.updateTable('projects').set({ description }).where('id', '=', project.id).execute()
    for (let round = 0; round < 3; round += 1) {
      expect(await seen()).toEqual([
        [200, description, true, maintainer],
        [200, description, false, developer],
        [200, description, false, null],
        [200, description, true, null],
        [404, undefined, false, undefined],
      ])
    }
  }
  await elsewhere.updateTable('projects').set({ visibility: 'private' }).where('id', '=', project.id).execute()
  expect((await seen()).map(([status]) => status)).toEqual([200, 200, 404, 200, 404])
  await elsewhere.updateTable('members').set({ expires_at: '2000-01-01' }).where('user_id', '=', member.id).execute()
  expect((await seen()).map(([status]) => status)).toEqual([200, 404, 404, 200, 404])
  await elsewhere.destroy()
})

test('a cached answer is not served to a credential whose scope doesn’t allow it', async () => {
  const { app, ...forge } = await testForge()
  const user = await forge.user()
  const [reading, narrow] = [await forge.token(user, { scopes: ['read_user'] }), await forge.token(user, { scopes: ['read_repository'] })]
  const statuses = async (token: string) => {
    const paths = ['/user', '/users?username=root', '/projects', '/groups']
    const answers = []
    for (const path of paths) answers.push((await forge.as(user, { token }).get(path)).status)
    return answers
  }
  const inUrl = async (token: string) => (await forge.anonymous.get(`/user?private_token=${token}`)).status
  for (let round = 0; round < 3; round += 1) {
    expect(await statuses(user.token)).toEqual([200, 200, 200, 200])
    expect(await statuses(reading)).toEqual([200, 200, 403, 403])
    expect(await statuses(narrow)).toEqual([403, 403, 403, 403])
    expect([await inUrl(reading), await inUrl(narrow)]).toEqual([200, 403])
    expect((await forge.as(forge.root, { headers: { sudo: user.username } }).get('/user')).body).toMatchObject({ id: user.id })
    expect((await forge.as(forge.root).get('/user')).body).toMatchObject({ id: forge.root.id, is_admin: true })
  }
  await app.db
    .updateTable('access_tokens')
    .set({ revoked: true })
    .where('user_id', '=', user.id)
    .where('scopes', '=', 'read_user')
    .execute()
  expect([await inUrl(reading), (await statuses(user.token))[0]]).toEqual([401, 200])
  await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
  expect(await statuses(user.token)).toEqual([403, 403, 403, 403])
})

test('answers for administrators are cached for administrators only', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const path = '/users?external=true'
  for (let round = 0; round < 3; round += 1) {
    const answers = [await forge.as(forge.root).get(path), await forge.as(user).get(path), await forge.anonymous.get(path)]
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 401])
  }
  await forge.app.db.updateTable('users').set({ admin: true }).where('id', '=', user.id).execute()
  expect((await forge.as(user).get(path)).status).toBe(200)
  await forge.app.db.updateTable('users').set({ admin: false }).where('id', '=', user.id).execute()
  expect((await forge.as(user).get(path)).status).toBe(403)
})

test('the cache’s limit counts headers and addresses, too', async () => {
  const { app } = await openForge()
  const answers = answerCache(app.db)
  const before = answers.stamp()
  // A database on a server keeps none.
  if (before === null) return
  const link = 'x'.repeat(60_000)
  const keep = (url: string) => answers.find(null, url, before).keep({ status: 200, head: { link }, text: '[]' })
  for (let number = 0; number < 200; number += 1) keep(`/projects?number=${number}`)
  const kept = Array.from({ length: 200 }, (_, number) => answers.find(null, `/projects?number=${number}`, before).known !== undefined)
  expect(kept.filter(Boolean).length).toBeLessThan(80)
})
