/** Terms of service, by the API and by git: no user who has not accepted those in force is served. */
import { afterEach, expect, test } from 'vitest'
import { type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { digestOfTerms } from './settings.service.ts'

const path = '/application/settings'
const refusal = { message: '403 Forbidden - You must accept the terms of service first, at http://gitstead.test/-/terms' }

afterEach(async () => {
  const { app } = await testForge()
  await app.db.deleteFrom('settings').execute()
  await app.db.updateTable('users').set({ accepted_terms: null }).execute()
})

async function enforce(terms: string): Promise<void> {
  const forge = await testForge()
  expect((await forge.as(forge.root).put(path, { enforce_terms: true, terms })).status).toBe(200)
}

async function refs(project: TestProject, user: TestUser): Promise<string> {
  const forge = await testForge()
  return git(await forge.folder(), 'ls-remote', await forge.remote(project, user)).then(
    () => 'served',
    (error: { stderr?: string }) => String(error.stderr ?? error),
  )
}

test('users who haven’t accepted the terms are refused by the API and git, administrators too', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const project = await forge.project({ owner: user, visibility: 'private' })
  await enforce('  Be kind  ')
  for (const one of [user, forge.root]) {
    const answers = [await forge.as(one).get('/user'), await forge.as(one).get('/projects'), await forge.as(one).post('/projects', {})]
    for (const { status, body } of answers) expect([status, body]).toEqual([403, refusal])
    expect(await refs(project, one)).toContain('You must accept the terms of service first, at http://gitstead.test/-/terms')
    const shown = await forge.as(one).get('/user/terms')
    expect([shown.status, shown.body]).toEqual([200, { terms: 'Be kind', enforced: true, accepted: false }])
    const accepted = await forge.as(one).post('/user/terms')
    expect([accepted.status, accepted.body]).toEqual([201, { terms: 'Be kind', enforced: true, accepted: true }])
    expect([(await forge.as(one).get('/user')).status, await refs(project, one)]).toEqual([200, 'served'])
  }
  const [row] = await forge.app.db.selectFrom('users').select('accepted_terms').where('id', '=', user.id).execute()
  expect(row).toEqual({ accepted_terms: digestOfTerms('Be kind') })
})

test('anonymous callers have nothing to accept', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'public' })
  await enforce('Be kind')
  expect((await forge.anonymous.get(`/projects/${project.id}`)).status).toBe(200)
  expect((await forge.anonymous.get('/user/terms')).status).toBe(401)
  expect((await forge.anonymous.post('/user/terms')).status).toBe(401)
})

test('changed terms must be accepted again; unchanged or unenforced ones need not be', async () => {
  const forge = await testForge()
  const user = await forge.user()
  const status = async () => (await forge.as(user).get('/user')).status
  await enforce('First')
  await forge.as(user).post('/user/terms')
  await forge.as(forge.root).post('/user/terms')
  expect((await forge.as(forge.root).put(path, { terms: 'First', default_projects_limit: 5 })).status).toBe(200)
  expect(await status()).toBe(200)
  expect((await forge.as(forge.root).put(path, { terms: 'Second' })).status).toBe(200)
  expect(await status()).toBe(403)
  expect((await forge.as(forge.root).put(path, { enforce_terms: false })).body).toEqual(refusal)
  await forge.as(forge.root).post('/user/terms')
  expect((await forge.as(forge.root).put(path, { enforce_terms: false })).status).toBe(200)
  expect(await status()).toBe(200)
})

test('a token without the scope accepts nothing, and reads the terms only if it reads users', async () => {
  const forge = await testForge()
  const user = await forge.user()
  await enforce('Be kind')
  const as = async (scope: 'read_user' | 'read_repository') => forge.as(user, { token: await forge.token(user, { scopes: [scope] }) })
  expect([(await (await as('read_user')).get('/user/terms')).status, (await (await as('read_user')).post('/user/terms')).status]).toEqual([
    200, 403,
  ])
  expect((await (await as('read_repository')).get('/user/terms')).status).toBe(403)
  expect((await forge.as(user).get('/user/terms')).body.accepted).toBe(false)
})

test('without terms there is nothing to accept', async () => {
  const forge = await testForge()
  const user = await forge.user()
  expect((await forge.as(user).get('/user/terms')).body).toEqual({ terms: null, enforced: false, accepted: false })
  const { status, body } = await forge.as(user).post('/user/terms')
  expect([status, body]).toEqual([404, { message: '404 Terms Not Found' }])
})

test('checking the terms costs no further statement', async () => {
  const forge = await testForge()
  const before = await forge.cost(() => forge.as(forge.root).get('/user'))
  await enforce('Be kind')
  await forge.as(forge.root).post('/user/terms')
  expect(await forge.cost(() => forge.as(forge.root).get('/user'))).toEqual(before)
})
