/** States of OpenTofu and Terraform, by a client that does what their backend `http` documents. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { countedBytes, noRoom } from '../../../../test/support/held-bytes.ts'
import { removeObjectsJob } from '../../storage/object-storage/object-storage.jobs.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user()
})

interface Backend {
  /** Null where there is none: 404 and 204 count as an empty state. */
  read: () => Promise<string | null>
  write: (state: string, lock_id?: string) => Promise<number>
  remove: () => Promise<number>
  /** The status, and what the holder said of itself where somebody else has the lock. */
  lock: (id: string) => Promise<{ status: number; held_by: string | null }>
  unlock: (id: string) => Promise<number>
}

/** With the user and the password of HTTP Basic, which is all that the backend can be given. */
async function backendOf(name: string, { username, token }: { username: string; token: string }): Promise<Backend> {
  const address = `${await forge.url()}/api/v4/projects/${project.id}/terraform/state/${encodeURIComponent(name)}`
  const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
  const send = (method: string, url: string, body?: string) =>
    fetch(url, {
      method,
      headers: {
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-md5': createHash('md5').update(body).digest('base64') }),
      },
      ...(body !== undefined && { body }),
    })
  const info = (ID: string) =>
    JSON.stringify({ ID, Operation: 'OperationTypeApply', Info: '', Who: `ada@${ID}`, Version: '1.9.0', Created: 'now', Path: '' })
  return {
    async read() {
      const answer = await send('GET', address)
      if (answer.status === 404 || answer.status === 204) return null
      expect(answer.status).toBe(200)
      return answer.text()
    },
    write: async (state, lock_id) => (await send('POST', lock_id === undefined ? address : `${address}?ID=${lock_id}`, state)).status,
    remove: async () => (await send('DELETE', address)).status,
    async lock(id) {
      const answer = await send('POST', `${address}/lock`, info(id))
      const held_by = answer.status === 409 ? ((await answer.json()) as { Who: string }).Who : null
      return { status: answer.status, held_by }
    },
    unlock: async (id) => (await send('DELETE', `${address}/lock`, info(id))).status,
  }
}

const stateOf = (serial: number, secret = 's3cret') =>
  JSON.stringify({ version: 4, serial, lineage: 'aaaa', outputs: { password: { value: secret, type: 'string' } }, resources: [] })

async function fresh(): Promise<Backend> {
  project = await forge.project({ maintainer, files: null })
  return backendOf('production', maintainer)
}

test('a state is locked, written, read, unlocked and deleted as the backend of Terraform does it', async () => {
  const backend = await fresh()
  expect(await backend.read()).toBeNull()
  expect(await backend.lock('one')).toEqual({ status: 200, held_by: null })
  expect(await backend.read()).toBeNull()
  expect(await backend.write(stateOf(1), 'one')).toBe(200)
  expect(await backend.read()).toBe(stateOf(1))
  expect(await backend.write(stateOf(2), 'one')).toBe(200)
  expect(await backend.unlock('one')).toBe(200)
  expect(await backend.read()).toBe(stateOf(2))
  expect(await backend.remove()).toBe(200)
  expect(await backend.read()).toBeNull()
})

test('nobody else writes, deletes or unlocks while the lock is held, and each is told by whom', async () => {
  const backend = await fresh()
  await backend.lock('one')
  await backend.write(stateOf(1), 'one')
  expect(await backend.lock('two')).toEqual({ status: 409, held_by: 'ada@one' })
  expect(await backend.write(stateOf(2), 'two')).toBe(409)
  expect(await backend.write(stateOf(2))).toBe(409)
  expect(await backend.unlock('two')).toBe(409)
  expect(await backend.remove()).toBe(409)
  expect((await forge.as(maintainer).delete(`/projects/${project.id}/terraform/state/production/versions/1`)).status).toBe(409)
  expect(await backend.read()).toBe(stateOf(1))
  // The lock of a client that died is taken from it.
  expect((await forge.as(maintainer).delete(`/projects/${project.id}/terraform/state/production/lock`)).status).toBe(200)
  expect(await backend.lock('two')).toEqual({ status: 200, held_by: null })
})

test('of ten who lock at once one gets the lock', async () => {
  const backend = await fresh()
  const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => backend.lock(`client-${index}`)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
})

test('versions are kept by serial; what was written last counts, and one of the same serial takes the place of the other', async () => {
  const backend = await fresh()
  for (const serial of [1, 2, 3]) await backend.write(stateOf(serial))
  const client = forge.as(maintainer)
  const at = `/projects/${project.id}/terraform/state/production/versions`
  expect((await client.get(`${at}/2`)).body).toEqual(JSON.parse(stateOf(2)))
  // As `state push -force` does.
  await backend.write(stateOf(2, 'another'))
  expect(await backend.read()).toBe(stateOf(2, 'another'))
  expect((await client.delete(`${at}/2`)).status).toBe(204)
  expect([(await client.get(`${at}/2`)).status, await backend.read()]).toEqual([404, stateOf(3)])
  expect((await client.get(`${at}/x`)).status).toBe(400)
})

test('what is no state is refused, and names are only names', async () => {
  const backend = await fresh()
  for (const body of [
    '',
    'no JSON',
    '[]',
    'null',
    '{}',
    '{"serial":"1"}',
    '{"serial":-1}',
    '{"serial":1.5}',
    '{"serial":1',
    '[{"serial":1}]',
    '{"serial":1e300}',
  ])
    expect([body, await backend.write(body)]).toEqual([body, 400])
  for (const name of ['../../etc/passwd', 'a/b', 'review.7', 'ä ö']) {
    const named = await backendOf(name, maintainer)
    expect([name, await named.write(stateOf(1)), await named.read()]).toEqual([name, 200, stateOf(1)])
  }
  for (const name of ['x'.repeat(256), 'line\nbreak', ' '])
    expect([name, await (await backendOf(name, maintainer)).write(stateOf(1))]).toEqual([name, 400])
  expect(await (await backendOf('x'.repeat(255), maintainer)).lock('')).toMatchObject({ status: 400 })
})

test('a state is held in memory once, and no more of them than there is room for', async () => {
  const backend = await fresh()
  await backend.write(stateOf(1, 'x'.repeat(200_000)))
  const { limits } = forge.app
  const { held: usual } = limits
  onTestFinished(() => {
    limits.held = usual
  })
  const { counted, held } = countedBytes()
  limits.held = held
  expect(await backend.read()).toContain('xxx')
  expect(await backend.write(stateOf(2, 'x'.repeat(2 * 1024 * 1024)))).toBe(200)
  expect(counted.filter((bytes) => bytes > 0).map((bytes) => Math.floor(bytes / 100_000))).toEqual([2, 20])

  limits.held = noRoom
  await expect(backend.read()).rejects.toThrow('503')
  expect(await backend.write(stateOf(3, 'x'.repeat(2 * 1024 * 1024)))).toBe(503)
})

test('what a client says of itself with a lock is short', async () => {
  await fresh()
  const lock = (Info: string) => forge.as(maintainer).post(`/projects/${project.id}/terraform/state/network/lock`, { ID: 'one', Info })
  expect([(await lock('x'.repeat(4_097))).status, (await lock('x'.repeat(4_096))).status]).toEqual([400, 200])
})

test('a state is sealed where it is stored, and goes with its project', async () => {
  const backend = await fresh()
  await backend.write(stateOf(1, 'swordfish-of-the-state'))
  const { store_key } = await forge.app.db
    .selectFrom('terraform_versions')
    .select('store_key')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect((await buffer(await forge.app.store.open(store_key))).includes('swordfish-of-the-state')).toBe(false)
  await forge.as(forge.root).delete(`/projects/${project.id}`)
  await forge.drain()
  await removeObjectsJob.handle(forge.app, {})
  expect(await forge.app.db.selectFrom('terraform_versions').select('id').where('store_key', '=', store_key).execute()).toEqual([])
  await expect(forge.app.store.open(store_key)).rejects.toMatchObject({ code: 'not_found' })
})

test('developers read, maintainers write, others do neither; a wrong password is nobody', async () => {
  const backend = await fresh()
  await backend.write(stateOf(1))
  const [developer, reporter] = [await forge.user(), await forge.user()]
  for (const [user, access_level] of [
    [developer, 30],
    [reporter, 20],
  ] as const)
    await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: user.id, access_level })
  const ofDeveloper = await backendOf('production', developer)
  expect([await ofDeveloper.read(), await ofDeveloper.write(stateOf(2)), (await ofDeveloper.lock('x')).status]).toEqual([
    stateOf(1),
    403,
    403,
  ])
  const at = `/projects/${project.id}/terraform/state/production`
  expect((await forge.as(reporter).get(at)).status).toBe(403)
  expect(await (await backendOf('production', { username: 'ada', token: 'wrong' })).write(stateOf(2))).toBe(401)
  const readOnly = await forge.token(maintainer, { scopes: ['read_api'] })
  expect(await (await backendOf('production', { username: 'any', token: readOnly })).write(stateOf(2))).toBe(403)
  // Elsewhere such a password says nothing.
  const basic = `Basic ${Buffer.from(`${maintainer.username}:${maintainer.token}`).toString('base64')}`
  expect((await forge.anonymous.get(`/projects/${project.id}`, { headers: { authorization: basic } })).status).toBe(404)
})
