/** Locks: one for each file, whoever comes first; others' are broken by maintainers alone. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { lfsClient } from '../../../test/support/fixtures/lfs.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'

/** A project with a developer, another one and a maintainer, each with a client. */
async function team(forge: Forge) {
  const [ada, bob, maintainer, reporter] = [await forge.user(), await forge.user(), await forge.user(), await forge.user()]
  const group = await forge.group({ developer: ada })
  const project = await forge.project({ group, developer: bob, maintainer, reporter })
  const as = (user: TestUser) => lfsClient(forge, project, user)
  return {
    project,
    ada: as(ada),
    bob: as(bob),
    maintainer: as(maintainer),
    reporter: as(reporter),
    names: { ada: ada.name, bob: bob.name },
  }
}

async function countLocks(forge: Forge, project: TestProject): Promise<number> {
  return (await forge.app.db.selectFrom('lfs_locks').select('id').where('project_id', '=', project.id).execute()).length
}

test('a lock is made, listed, shown as one’s own or another’s, and taken away by its owner', async () => {
  const forge = await testForge()
  const { project, ada, bob, names } = await team(forge)
  const made = await ada.send('POST', 'locks', { path: 'art/ünïcode name.psd', ref: { name: 'refs/heads/main' } })
  const lock = {
    id: expect.stringMatching(/^\d+$/),
    path: 'art/ünïcode name.psd',
    locked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    owner: { name: names.ada },
  }
  expect([made.status, made.body]).toEqual([201, { lock }])
  expect((await bob.send('GET', 'locks')).body).toEqual({ locks: [lock] })
  expect((await ada.send('POST', 'locks/verify', {})).body).toEqual({ ours: [lock], theirs: [] })
  expect((await bob.send('POST', 'locks/verify', { ref: { name: 'refs/heads/main' } })).body).toEqual({ ours: [], theirs: [lock] })

  const taken = await bob.send('POST', 'locks', { path: lock.path })
  expect([taken.status, taken.body]).toEqual([409, { lock, message: 'The file is locked already.' }])
  expect((await ada.send('POST', 'locks', { path: lock.path })).status).toBe(409)

  const gone = await ada.send('POST', `locks/${made.body.lock.id}/unlock`, {})
  expect([gone.status, gone.body]).toEqual([200, { lock }])
  expect((await bob.send('GET', 'locks')).body).toEqual({ locks: [] })
  expect((await ada.send('POST', `locks/${made.body.lock.id}/unlock`, {})).status).toBe(404)
  expect(await countLocks(forge, project)).toBe(0)
})

test('a lock of somebody else is broken by a maintainer who insists, and by nobody else', async () => {
  const forge = await testForge()
  const { project, ada, bob, maintainer, names } = await team(forge)
  const { id } = (await ada.send('POST', 'locks', { path: 'a.psd' })).body.lock
  const unlock = async (client: typeof bob, body: unknown) => {
    const answer = await client.send('POST', `locks/${id}/unlock`, body)
    return [answer.status, answer.body.message]
  }
  expect(await unlock(bob, {})).toEqual([403, `a.psd is locked by ${names.ada}.`])
  expect(await unlock(bob, { force: true })).toEqual([403, `a.psd is locked by ${names.ada}: only maintainers break the locks of others.`])
  expect(await unlock(maintainer, { force: false })).toEqual([403, `a.psd is locked by ${names.ada}.`])
  for (const force of ['true', 1, [], null]) expect((await unlock(maintainer, { force }))[0]).toBe(422)
  expect(await countLocks(forge, project)).toBe(1)
  expect(await unlock(maintainer, { force: true })).toEqual([200, undefined])
  expect(await countLocks(forge, project)).toBe(0)
})

test('a lock of another project can’t be seen, and not be taken away', async () => {
  const forge = await testForge()
  const [first, second] = [await forge.project(), await forge.project()]
  const { id } = (await lfsClient(forge, first, forge.root).send('POST', 'locks', { path: 'a.psd' })).body.lock
  const elsewhere = lfsClient(forge, second, forge.root)
  expect((await elsewhere.send('GET', `locks?id=${id}`)).body.locks).toEqual([])
  expect((await elsewhere.send('POST', `locks/${id}/unlock`, { force: true })).status).toBe(404)
  expect((await elsewhere.send('POST', 'locks', { path: 'a.psd' })).status).toBe(201)
  expect(await countLocks(forge, first)).toBe(1)
})

test('of many concurrent locks of a file exactly one succeeds, and the others get its owner', async () => {
  const forge = await testForge()
  const { project, ada, bob, maintainer } = await team(forge)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => [ada, bob, maintainer][index % 3]?.send('POST', 'locks', { path: 'wanted.psd' })),
  )
  const winner = answers.filter((answer) => answer?.status === 201)
  expect(winner).toHaveLength(1)
  expect(answers.filter((answer) => answer?.status === 409)).toHaveLength(11)
  expect(new Set(answers.map((answer) => answer?.body.lock.id))).toEqual(new Set([winner[0]?.body.lock.id]))
  expect(await countLocks(forge, project)).toBe(1)
})

test('locks are asked for by path and by id, and come in pages', async () => {
  const forge = await testForge()
  const { ada, bob } = await team(forge)
  const ids: string[] = []
  for (const [index, client] of [ada, bob, ada, bob, ada].entries()) {
    ids.push((await client.send('POST', 'locks', { path: `file${index}` })).body.lock.id)
  }
  const list = async (query: string) => (await bob.send('GET', `locks?${query}`)).body
  expect((await list('path=file3&refspec=refs%2Fheads%2Fmain')).locks.map(({ id }: { id: string }) => id)).toEqual([ids[3]])
  expect((await list(`id=${ids[1]}`)).locks).toHaveLength(1)
  expect((await list('path=file')).locks).toEqual([])
  const first = await list('limit=2')
  expect([first.locks.length, first.next_cursor]).toEqual([2, ids[1]])
  const second = await list(`limit=2&cursor=${first.next_cursor}`)
  expect(second.locks.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[3]])
  expect((await list(`limit=2&cursor=${second.next_cursor}`)).next_cursor).toBeUndefined()

  const verified = await ada.send('POST', 'locks/verify', { limit: 3 })
  expect([verified.body.ours.length, verified.body.theirs.length, verified.body.next_cursor]).toEqual([2, 1, ids[2]])
  const rest = await ada.send('POST', 'locks/verify', { limit: 3, cursor: verified.body.next_cursor })
  expect([rest.body.ours.length, rest.body.theirs.length, rest.body.next_cursor]).toEqual([1, 1, undefined])
  expect((await list('limit=0')).locks).toHaveLength(5)
  expect((await list('limit=999999999')).locks).toHaveLength(5)
})

test('a list of locks costs the same for 2 and for 50', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = lfsClient(forge, project, forge.root)
  const locks = Array.from({ length: 50 }, (_, index) => ({
    project_id: project.id,
    path: `file${index}`,
    user_id: forge.root.id,
    created_at: new Date().toISOString(),
  }))
  await forge.app.db.insertInto('lfs_locks').values(locks).execute()
  for (const action of ['GET locks?limit=', 'POST locks/verify']) {
    const costs = []
    for (const limit of [2, 50]) {
      const [method, path] = action.split(' ') as [string, string]
      const ask = async () => {
        const { body } = method === 'GET' ? await client.send(method, path + limit) : await client.send(method, path, { limit })
        expect((body.locks ?? body.ours).length).toBe(limit)
      }
      await ask()
      costs.push(Math.min((await forge.cost(ask)).statements, (await forge.cost(ask)).statements, (await forge.cost(ask)).statements))
    }
    expect([action, costs[1]]).toEqual([action, costs[0]])
  }
})

test('readers see locks; only who may push makes, verifies and takes them away', async () => {
  const forge = await testForge()
  const { project, ada, reporter } = await team(forge)
  const { id } = (await ada.send('POST', 'locks', { path: 'a' })).body.lock
  expect((await reporter.send('GET', 'locks')).body.locks).toHaveLength(1)
  expect((await reporter.send('POST', 'locks', { path: 'b' })).status).toBe(403)
  expect((await reporter.send('POST', 'locks/verify', {})).status).toBe(403)
  expect((await reporter.send('POST', `locks/${id}/unlock`, { force: true })).status).toBe(403)
  const anybody = lfsClient(forge, project, null)
  expect((await anybody.send('GET', 'locks')).status).toBe(401)
  expect((await anybody.send('POST', 'locks', { path: 'b' })).status).toBe(401)
  expect(await countLocks(forge, project)).toBe(1)
})

test('only a path of a file in a repository can be locked', async () => {
  const forge = await testForge()
  const { project, ada } = await team(forge)
  const paths: unknown[] = [
    undefined,
    null,
    7,
    ['a'],
    { a: 1 },
    '',
    '/',
    '.',
    '..',
    '../x',
    'a/../../x',
    'a/./b',
    '/etc/passwd',
    'a/',
    'a//b',
    '.git/config',
    'sub/.GIT/config',
    'a\\..\\b',
    'nul\0',
    'line\nbreak',
    'bell\u0007',
    '\ud800',
    'x'.repeat(256),
    'x/'.repeat(3_000),
    // Longer than PostgreSQL has in an index, and in no way shorter when it is compressed.
    Array.from({ length: 16 }, () => randomBytes(110).toString('hex')).join('/'),
  ]
  for (const path of paths) {
    const { status, body } = await ada.send('POST', 'locks', { path })
    expect([String(path).slice(0, 50), status, typeof body.message]).toEqual([String(path).slice(0, 50), 422, 'string'])
  }
  expect((await ada.send('POST', 'locks', { path: 'x'.repeat(1024 * 1024) })).status).toBe(413)
  expect((await ada.send('POST', 'locks', '{"path":')).status).toBe(422)
  expect(await countLocks(forge, project)).toBe(0)
})

test('values that can’t be meant are refused where locks are listed and verified', async () => {
  const forge = await testForge()
  const { ada } = await team(forge)
  for (const query of [
    'path[]=a',
    'path[x]=a',
    'path=%00',
    'id=x',
    'id=1.5',
    'cursor=-1',
    `cursor=${'9'.repeat(30)}`,
    'limit=-1',
    'limit=x',
    'limit[]=1',
  ]) {
    const { status } = await ada.send('GET', `locks?${query}`)
    expect([query, status]).toEqual([query, 422])
  }
  for (const body of [
    { limit: -1 },
    { limit: 1.5 },
    { limit: 2 ** 53 },
    { limit: [] },
    { limit: {} },
    { cursor: 5 },
    { cursor: 'x' },
    { cursor: '\0' },
    { cursor: {} },
    [],
  ]) {
    const { status } = await ada.send('POST', 'locks/verify', body)
    expect([body, status]).toEqual([body, 422])
  }
  expect((await ada.send('POST', `locks/${'9'.repeat(15)}/unlock`, {})).status).toBe(404)
})
