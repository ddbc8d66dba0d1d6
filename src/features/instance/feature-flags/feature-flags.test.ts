import { expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { openForge, testForge } from '../../../../test/support/forge.ts'
import { isEnabled } from '../../../access/flags.ts'

let counter = 0
const fresh = () => `flag_${++counter}`
const isOff = { key: 'boolean', value: false }

test('a flag that is set is listed, and one that is deleted is not', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const name = fresh()
  const created = await root.post(`/features/${name}`, { value: 'true' })
  const feature = { name, state: 'on', gates: [{ key: 'boolean', value: true }] }
  expect([created.status, created.body]).toEqual([201, feature])
  expect((await root.get('/features')).body).toContainEqual(feature)
  expect((await root.delete(`/features/${name}`)).status).toBe(204)
  expect((await root.delete(`/features/${name}`)).status).toBe(204)
  expect((await root.get('/features')).body).not.toContainEqual(feature)
})

test('a flag is set with two slashes before its name, as old clients send them', async () => {
  const root = (await testForge()).as((await testForge()).root)
  const name = fresh()
  const set = await root.post(`/features//${name}`, { value: true })
  expect([set.status, set.body]).toMatchObject([201, { name, state: 'on' }])
  expect((await root.post('/features/', { value: true })).status).toBe(405)
})

test('false closes every gate, and the flag stays', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const name = fresh()
  await root.post(`/features/${name}`, { value: 50 })
  await root.post(`/features/${name}`, { value: true, feature_group: 'administrators' })
  expect((await root.post(`/features/${name}`, { value: false })).body).toEqual({ name, state: 'off', gates: [isOff] })
})

test('a flag is opened for groups of users, users, groups and projects, and closed for one of them', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const [user, group, project] = [await forge.user(), await forge.group(), await forge.project()]
  const name = fresh()
  await root.post(`/features/${name}`, { value: 'true', feature_group: 'administrators', user: `${user.username},root` })
  const { body } = await root.post(`/features/${name}`, {
    value: 'true',
    group: group.full_path,
    project: project.full_path,
    user: user.username,
  })
  const actors = [`User:${forge.root.id}`, `User:${user.id}`, `Group:${group.id}`, `Project:${project.id}`]
  expect(body).toEqual({
    name,
    state: 'conditional',
    gates: [isOff, { key: 'groups', value: ['administrators'] }, { key: 'actors', value: expect.arrayContaining(actors) }],
  })
  expect(body.gates[2].value).toHaveLength(4)
  const closed = await root.post(`/features/${name}`, { value: '0', user: user.username })
  expect(closed.body.gates[2].value).not.toContain(`User:${user.id}`)
})

test('percentages replace each other, each of its kind, and 100 is on', async () => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const name = fresh()
  await root.post(`/features/${name}`, { value: '50' })
  await root.post(`/features/${name}`, { value: '34', key: 'percentage_of_actors' })
  const { body } = await root.post(`/features/${name}`, { value: 30 })
  expect(body).toEqual({
    name,
    state: 'conditional',
    gates: [isOff, { key: 'percentage_of_actors', value: 34 }, { key: 'percentage_of_time', value: 30 }],
  })
  expect((await root.post(`/features/${name}`, { value: 100 })).body.state).toBe('on')
})

test.each([
  [{}, { error: 'value is missing' }],
  [{ value: '-1' }, { error: 'value is invalid' }],
  [{ value: '101' }, { error: 'value is invalid' }],
  [{ value: '2.5' }, { error: 'value is invalid' }],
  [{ value: 'maybe' }, { error: 'value is invalid' }],
  [{ value: 'true', feature_group: 'perf_team' }, { error: 'feature_group does not have a valid value' }],
  [{ value: 'true', feature_group: 'constructor' }, { error: 'feature_group does not have a valid value' }],
  [{ value: 'true', key: 'percentage_of_actors' }, { error: 'key is invalid: it goes with a percentage' }],
  [{ value: '5', key: 'boolean' }, { error: 'key does not have a valid value' }],
  [{ value: '5', user: 'root' }, { error: 'value is invalid: true or false with a feature group or an actor' }],
  [{ value: 'true', user: 'nobody-here' }, { message: '400 Bad request - nobody-here is not found!' }],
  [{ value: 'true', group: 'no/group' }, { message: '400 Bad request - no/group is not found!' }],
  [{ value: 'true', project: 'root/nothing' }, { message: '400 Bad request - root/nothing is not found!' }],
])('%j is refused, and sets nothing', async (body, refusal) => {
  const forge = await testForge()
  const root = forge.as(forge.root)
  const name = fresh()
  const answer = await root.post(`/features/${name}`, body)
  expect([answer.status, answer.body]).toEqual([400, refusal])
  expect((await root.get('/features')).text).not.toContain(`"${name}"`)
})

test('a name that can be none is refused', async () => {
  const forge = await testForge()
  for (const name of ['a%20b', '-n', '%00', 'x'.repeat(256), 'a%2Fb', '%E2%80%AE']) {
    expect((await forge.as(forge.root).post(`/features/${name}`, { value: 'true' })).status).toBe(400)
    expect((await forge.as(forge.root).delete(`/features/${name}`)).status).toBe(400)
  }
})

test('only administrators see flags and change them', async () => {
  const forge = await testForge()
  const user = forge.as(await forge.user())
  for (const client of [user, forge.anonymous]) {
    const expected = client === user ? 403 : 401
    expect((await client.get('/features')).status).toBe(expected)
    expect((await client.post('/features/clone_cache', { value: 'false' })).status).toBe(expected)
    expect((await client.delete('/features/clone_cache')).status).toBe(expected)
  }
})

test('a flag has its default until it is set, and then holds for whom a gate is open', async () => {
  const forge = await openForge()
  const { db } = forge.app
  const root = forge.as(forge.root)
  const [user, group, other] = [await forge.user(), await forge.group(), await forge.project()]
  const project = await forge.project({ group: await forge.group({ parent: group }) })
  const set = (body: object) => root.post('/features/clone_cache', body)

  expect(await isEnabled(db, 'clone_cache')).toBe(true)
  await set({ value: false })
  expect(await isEnabled(db, 'clone_cache', { user, project })).toBe(false)
  await set({ value: true, project: String(other.id) })
  expect([await isEnabled(db, 'clone_cache', { project: other }), await isEnabled(db, 'clone_cache', { project })]).toEqual([true, false])
  await set({ value: true, group: group.full_path })
  expect([await isEnabled(db, 'clone_cache', { project }), await isEnabled(db, 'clone_cache', { user })]).toEqual([true, false])
  await set({ value: true, user: user.username })
  expect([await isEnabled(db, 'clone_cache', { user }), await isEnabled(db, 'clone_cache', { user: forge.root })]).toEqual([true, false])
  await set({ value: true, feature_group: 'administrators' })
  expect(await isEnabled(db, 'clone_cache', { user: forge.root })).toBe(true)
  expect(await isEnabled(db, 'clone_cache', { user: null })).toBe(false)
})

test('a growing percentage of actors keeps its actors; a percentage of time applies to each call', async () => {
  const forge = await openForge()
  const set = (body: object) => forge.as(forge.root).post('/features/clone_cache', body)
  const on = async () => {
    const found = new Set<number>()
    for (let id = 1; id <= 400; id += 1) if (await isEnabled(forge.app.db, 'clone_cache', { user: { id, admin: false } })) found.add(id)
    return found
  }
  await set({ value: false })
  await set({ value: 25, key: 'percentage_of_actors' })
  const quarter = await on()
  expect(quarter).toEqual(await on())
  await set({ value: 50, key: 'percentage_of_actors' })
  const half = await on()
  expect([...quarter].every((id) => half.has(id))).toBe(true)
  expect([quarter.size > 60 && quarter.size < 140, half.size > 150 && half.size < 250]).toEqual([true, true])
  await set({ value: false })
  await set({ value: 50 })
  expect((await on()).size).toBeGreaterThan(100)
})

test('reading a flag costs one statement, and on SQLite none as long as nothing changes', async () => {
  const forge = await openForge()
  const project = await forge.project()
  const read = () => isEnabled(forge.app.db, 'clone_cache', { project })
  expect(await forge.cost(read)).toEqual({ statements: 1, processes: 0 })
  const twice = await forge.cost(async () => [await read(), await read()])
  expect(twice.statements).toBe(engine === 'sqlite' ? 1 : 2)
})

test('gates for a user, group or project are removed with it', async () => {
  const forge = await openForge()
  const root = forge.as(forge.root)
  const [user, group, project] = [await forge.user(), await forge.group(), await forge.project()]
  await root.post('/features/some', { value: 'true', user: user.username, group: group.path, project: project.full_path })
  await root.delete(`/users/${user.id}?hard_delete=true`)
  await root.delete(`/groups/${group.id}`)
  await root.delete(`/projects/${project.id}`)
  expect((await root.get('/features')).body).toEqual([{ name: 'some', state: 'off', gates: [isOff] }])
})
