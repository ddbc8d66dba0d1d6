import { expect, test } from 'vitest'
import { type TestUser, testForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { basic, clone, contentsOf, flush, get, post, workTree } from './git/wire.ts'

const mayNotPush = 'You are not allowed to push code to this project.'
const notFound = 'The project you were looking for could not be found.'

/** Git's message for a push to main, after asserting that nothing has changed. */
async function refusedPush(project: { full_path: string; dir: string }, user?: TestUser): Promise<string> {
  const forge = await testForge()
  const before = await contentsOf(project.dir)
  const { code, stderr } = await tryGit(await workTree(), 'push', '--force', await forge.remote(project, user), 'main')
  expect([code, await contentsOf(project.dir)]).toEqual([128, before])
  return stderr
}

/** The statuses of reading and of writing, in both requests of each. */
async function statusesOf(
  project: { full_path: string },
  user?: { username: string; token: string },
  from = '192.0.2.1',
): Promise<number[]> {
  const forge = await testForge()
  const headers = { 'x-forwarded-for': from, ...(user && basic(user)) }
  const statuses: number[] = []
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const advertised = await get(forge, `/${project.full_path}.git/info/refs?service=${service}`, headers)
    const served = await post(forge, `/${project.full_path}.git/${service}`, flush, { headers })
    statuses.push(advertised.status, served.status)
  }
  return statuses
}

test('guests and reporters see in git’s output that they may not push', async () => {
  const forge = await testForge()
  const [guest, reporter] = [await forge.user(), await forge.user()]
  const project = await forge.project({ guest, reporter, visibility: 'public' })
  for (const user of [guest, reporter]) {
    const said = await refusedPush(project, user)
    expect(said).toContain(`remote: ${mayNotPush}`)
    expect(said).toContain('403')
  }
  expect(await statusesOf(project, reporter)).toEqual([200, 200, 403, 403])
})

test('a stranger gets "not found" for a private project, whatever they request', async () => {
  const forge = await testForge()
  const stranger = await forge.user()
  const project = await forge.project()
  expect(await refusedPush(project, stranger)).toContain(`remote: ${notFound}`)
  expect(await statusesOf(project, stranger)).toEqual([404, 404, 404, 404])
  expect(await statusesOf({ full_path: 'root/never-was' }, stranger)).toEqual([404, 404, 404, 404])
})

test('a client without credentials gets 401 for all but public projects, whether or not they exist', async () => {
  const forge = await testForge()
  const open = await forge.project({ visibility: 'public' })
  const internal = await forge.project({ visibility: 'internal' })
  const closed = await forge.project()
  expect(await statusesOf(open)).toEqual([200, 200, 401, 401])
  for (const project of [internal, closed, { full_path: 'root/never-was' }]) expect(await statusesOf(project)).toEqual([401, 401, 401, 401])

  expect(await refusedPush(open)).toContain('could not read Username')
  const asked = await get(forge, `/${closed.full_path}.git/info/refs?service=git-upload-pack`)
  expect([asked.headers.get('www-authenticate'), asked.text]).toEqual([
    'Basic realm="Gitstead", charset="UTF-8"',
    'HTTP Basic: Access denied\n',
  ])
})

test('every role may do by git what it may do', async () => {
  const forge = await testForge()
  const [guest, reporter, developer, maintainer] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ guest, reporter, developer, maintainer })
  expect(await statusesOf(project, guest)).toEqual([403, 403, 403, 403])
  expect(await statusesOf(project, reporter)).toEqual([200, 200, 403, 403])
  for (const user of [developer, maintainer, forge.root]) expect(await statusesOf(project, user)).toEqual([200, 200, 200, 200])
})

test('an internal project is read by users, but not by external ones', async () => {
  const forge = await testForge()
  const project = await forge.project({ visibility: 'internal' })
  expect(await statusesOf(project, await forge.user())).toEqual([200, 200, 403, 403])
  expect(await statusesOf(project, await forge.user({ external: true }))).toEqual([404, 404, 404, 404])
})

test('a guest of a private project gets the reason why they may not read its code', async () => {
  const forge = await testForge()
  const guest = await forge.user()
  const project = await forge.project({ guest })
  const refused = await tryGit(await forge.folder(), 'clone', await forge.remote(project, guest))
  expect([refused.code, refused.stderr]).toEqual([
    128,
    expect.stringContaining('remote: You are not allowed to download code from this project.'),
  ])
})

test('a membership of a group counts in the projects below it, and only as long as it lasts', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const group = await forge.group({ developer })
  const project = await forge.project({ group: await forge.group({ parent: group }) })
  expect(await statusesOf(project, developer)).toEqual([200, 200, 200, 200])
  await forge.app.db.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', developer.id).execute()
  expect(await statusesOf(project, developer)).toEqual([404, 404, 404, 404])
})

test('an archived project is read and not written, not even by its owner', async () => {
  const forge = await testForge()
  const owner = await forge.user()
  const project = await forge.project({ owner })
  await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute()
  for (const user of [owner, forge.root]) {
    expect(await refusedPush(project, user)).toContain('remote: You are not allowed to push code to an archived project.')
    expect(await statusesOf(project, user)).toEqual([200, 200, 403, 403])
  }
})

test('a blocked user sees the reason, by password and by token, even for public projects', async () => {
  const forge = await testForge()
  const user = await forge.user({ state: 'blocked', password: 'correct-horse' })
  const project = await forge.project({ developer: user, visibility: 'public' })
  expect(await refusedPush(project, user)).toContain('remote: Your account has been blocked.')
  for (const secret of [user.token, 'correct-horse']) {
    expect(await statusesOf(project, { username: user.username, token: secret })).toEqual([403, 403, 403, 403])
  }
})

test('wrong credentials are never taken for none', async () => {
  const forge = await testForge()
  const user = await forge.user({ password: 'correct-horse' })
  const project = await forge.project({ visibility: 'public', developer: user })
  const revoked = await forge.token(user)
  const expired = await forge.token(user, { expires_on: '2020-01-01' })
  const { digestOf } = await import('../../src/access/tokens.ts')
  await forge.app.db.updateTable('access_tokens').set({ revoked: true }).where('digest', '=', digestOf(revoked)).execute()

  // Each from an address and at an account of its own: guesses are counted.
  for (const [index, secret] of ['wrong', '', 'correct-horse ', revoked, expired, 'x'.repeat(5_000)].entries()) {
    const { username } = await forge.user({ password: 'correct-horse' })
    expect([secret, ...(await statusesOf(project, { username, token: secret }, `192.0.2.1${index}`))]).toEqual([secret, 401, 401, 401, 401])
  }
  for (const [index, name] of ['', 'nobody', `${user.username}\0`, '%'].entries()) {
    const statuses = await statusesOf(project, { username: name, token: 'correct-horse' }, `192.0.2.2${index}`)
    expect([name, ...statuses]).toEqual([name, 401, 401, 401, 401])
  }
  const refs = `/${project.full_path}.git/info/refs?service=git-upload-pack`
  for (const authorization of ['Basic', 'Basic %%%', 'Basic bm9jb2xvbg==', 'Digest username="x"', 'Bearer', 'Bearer wrong', 'nonsense']) {
    expect([authorization, (await get(forge, refs, { authorization })).status]).toEqual([authorization, 401])
  }
  const { code, stderr } = await tryGit(
    await workTree(),
    'push',
    (await forge.remote(project)).replace('://', `://${user.username}:wrong@`),
    'main',
  )
  expect([code, stderr]).toEqual([128, expect.stringContaining('Authentication failed')])
})

test('the scopes of a token reach as far as they say', async () => {
  const forge = await testForge()
  const developer = await forge.user()
  const project = await forge.project({ developer })
  const withScopes = async (...scopes: Array<'api' | 'read_user' | 'read_repository' | 'sudo'>) => ({
    ...developer,
    token: await forge.token(developer, { scopes }),
  })
  expect(await statusesOf(project, await withScopes('api'))).toEqual([200, 200, 200, 200])
  expect(await statusesOf(project, await withScopes('read_repository'))).toEqual([200, 200, 403, 403])
  expect(await statusesOf(project, await withScopes('read_user'))).toEqual([403, 403, 403, 403])
  expect(await statusesOf(project, await withScopes('sudo'))).toEqual([403, 403, 403, 403])

  const reader = await withScopes('read_repository')
  await clone(await forge.remote(project, reader))
  expect(await refusedPush(project, reader)).toContain('remote: The scope of this token does not reach to git.')
})

test('a reader gets no writing by naming the reading service in one place and the writing one in another', async () => {
  const forge = await testForge()
  const reporter = await forge.user()
  const project = await forge.project({ reporter })
  const before = await contentsOf(project.dir)
  const base = `/${project.full_path}.git`
  const type = { 'content-type': 'application/x-git-receive-pack-request' }

  expect((await post(forge, `${base}/git-upload-pack`, flush, { user: reporter, headers: type })).status).toBe(415)
  expect((await post(forge, `${base}/git-receive-pack?service=git-upload-pack`, flush, { user: reporter })).status).toBe(403)
  const both = 'service=git-upload-pack&service=git-receive-pack'
  expect((await get(forge, `${base}/info/refs?${both}`, basic(reporter))).status).toBe(403)
  expect((await get(forge, `${base}/info/refs?service[]=git-upload-pack`, basic(reporter))).status).toBe(403)
  expect(await contentsOf(project.dir)).toEqual(before)
})

test('git sees nothing of what its user may not see in another project', async () => {
  const forge = await testForge()
  const reader = await forge.user()
  const [open, closed] = [await forge.project({ reporter: reader }), await forge.project({ files: { 'secret.txt': 'secret' } })]
  const secret = await git(closed.dir, 'rev-parse', 'main:secret.txt')
  const dir = await clone(await forge.remote(open, reader))
  const asked = await tryGit(dir, 'fetch', 'origin', secret)
  expect([asked.code, asked.stderr]).toEqual([128, expect.stringContaining('not our ref')])
})
