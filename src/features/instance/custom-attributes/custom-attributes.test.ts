/** Custom attributes of users, groups and projects: what administrators note, and nobody else learns. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { matchesAttributes } from './custom-attributes.queries.ts'
import { customAttributesOf } from './custom-attributes.service.ts'

let forge: Forge
let ada: TestUser
let places: Record<string, string>

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user()
  const group = await forge.group({ owner: ada })
  const project = await forge.project({ group, files: null })
  places = { user: `/users/${ada.id}`, group: `/groups/${group.id}`, project: `/projects/${project.id}` }
})

afterEach(async () => {
  await forge.app.db.deleteFrom('custom_attributes').execute()
})

const at = (kind: string, key = '') => `${places[kind]}/custom_attributes${key && `/${encodeURIComponent(key)}`}`
const rows = () => forge.app.db.selectFrom('custom_attributes').selectAll().orderBy('id').execute()
const missing = { message: '404 Not found' }

describe.each(['user', 'group', 'project'])('of a %s', (kind) => {
  test('an attribute is set, changed in place, listed by key, got alone and removed', async () => {
    const root = forge.as(forge.root)
    expect((await root.get(at(kind))).body).toEqual([])
    const first = await root.put(at(kind, 'role'), { value: 'Developer' })
    expect([first.status, first.body]).toEqual([200, { key: 'role', value: 'Developer' }])
    await root.put(at(kind, 'location'), { value: 'Antarctica' })
    const changed = await root.put(at(kind, 'role'), { value: 'Tester' })
    expect([changed.status, changed.body]).toEqual([200, { key: 'role', value: 'Tester' }])
    const list = await root.get(at(kind))
    expect([list.status, list.body]).toEqual([
      200,
      [
        { key: 'location', value: 'Antarctica' },
        { key: 'role', value: 'Tester' },
      ],
    ])
    expect((await root.get(at(kind, 'role'))).body).toEqual({ key: 'role', value: 'Tester' })
    const removed = await root.delete(at(kind, 'role'))
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await root.get(at(kind))).body).toEqual([{ key: 'location', value: 'Antarctica' }])
  })

  test('a key that is not there is 404, to get and to remove, and keys differ by their case', async () => {
    const root = forge.as(forge.root)
    await root.put(at(kind, 'role'), { value: 'x' })
    for (const key of ['Role', 'other', 'role ']) {
      const got = await root.get(at(kind, key))
      const removed = await root.delete(at(kind, key))
      expect([got.status, got.body, removed.status, removed.body]).toEqual([404, missing, 404, missing])
    }
    expect(await rows()).toHaveLength(1)
  })

  test('keys and values may be any text', async () => {
    const root = forge.as(forge.root)
    for (const text of ['a/b', 'a.b', 'ключ 🔑', "'; drop table users --", '%', '__proto__', 'a'.repeat(255)]) {
      const { status, body } = await root.put(at(kind, text), { value: text })
      expect([text, status, body]).toEqual([text, 200, { key: text, value: text }])
      expect((await root.get(at(kind, text))).body).toEqual({ key: text, value: text })
    }
  })

  test('what is blank, too long, or no text is refused, and what was there stays', async () => {
    const root = forge.as(forge.root)
    await root.put(at(kind, 'role'), { value: 'x' })
    const before = await rows()
    const long = 'a'.repeat(256)
    const blank = ["can't be blank"]
    const tooLong = ['is too long (maximum is 255 characters)']
    const requests: Array<[string, unknown, unknown]> = [
      ['role', { value: '' }, { message: { value: blank } }],
      ['role', { value: ' \n' }, { message: { value: blank } }],
      ['role', { value: long }, { message: { value: tooLong } }],
      [' ', { value: 'x' }, { message: { key: blank } }],
      [long, { value: '' }, { message: { key: tooLong, value: blank } }],
      ['role', {}, { error: 'value is missing' }],
      ['role', { value: null }, { error: 'value is missing' }],
      ['role', { value: ['x'] }, { error: 'value is invalid' }],
      ['role', { value: { a: 'x' } }, { error: 'value is invalid' }],
      ['role', { value: 'a\0b' }, { error: 'value is invalid' }],
      ['a\0b', { value: 'x' }, { error: 'key is invalid' }],
    ]
    for (const [key, body, refusal] of requests) {
      const answer = await root.put(at(kind, key), body)
      expect([key, body, answer.status, answer.body]).toEqual([key, body, 400, refusal])
    }
    expect(await rows()).toEqual(before)
  })

  test('only administrators read or write them, not even owners do', async () => {
    await forge.as(forge.root).put(at(kind, 'role'), { value: 'x' })
    const before = await rows()
    const requests = [
      ['GET', at(kind)],
      ['GET', at(kind, 'role')],
      ['PUT', at(kind, 'role'), { value: 'y' }],
      ['DELETE', at(kind, 'role')],
    ] as const
    for (const [method, path, body] of requests) {
      const own = await forge.as(ada).request(method, path, body)
      expect([method, own.status, own.body]).toEqual([method, 403, { message: '403 Forbidden' }])
      const unnamed = await forge.anonymous.request(method, path, body)
      expect([method, unnamed.status, unnamed.body]).toEqual([method, 401, { message: '401 Unauthorized' }])
    }
    expect(await rows()).toEqual(before)
  })

  test('ten that set one key at the same time leave one attribute', async () => {
    const values = Array.from({ length: 10 }, (_, index) => `value ${index}`)
    const answers = await Promise.all(values.map((value) => forge.as(forge.root).put(at(kind, 'race'), { value })))
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200))
    expect(await rows()).toHaveLength(1)
  })

  test('a delete with a stale If-Unmodified-Since is refused', async () => {
    await forge.as(forge.root).put(at(kind, 'role'), { value: 'x' })
    const since = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
    const { status, body } = await forge.as(forge.root).delete(at(kind, 'role'), undefined, since)
    expect([status, body]).toEqual([412, { message: '412 Precondition Failed' }])
    expect(await rows()).toHaveLength(1)
  })
})

test('missing and invisible resources get the same answer', async () => {
  const stranger = await forge.user()
  const words = { users: 'User', groups: 'Group', projects: 'Project' }
  for (const [plural, resource] of Object.entries(words)) {
    const absent = await forge.as(forge.root).get(`/${plural}/999999/custom_attributes`)
    expect([absent.status, absent.body]).toEqual([404, { message: `404 ${resource} Not Found` }])
  }
  for (const kind of ['group', 'project']) {
    const hidden = await forge.as(stranger).get(at(kind))
    expect([hidden.status, hidden.body.message]).toEqual([404, expect.stringMatching(/^404 (Group|Project) Not Found$/)])
  }
})

test('a user is found by username too, and the attributes are deleted with the user', async () => {
  const carl = await forge.user()
  const root = forge.as(forge.root)
  await root.put(`/users/${carl.username.toUpperCase()}/custom_attributes/role`, { value: 'x' })
  expect((await root.get(`/users/${carl.id}/custom_attributes`)).body).toEqual([{ key: 'role', value: 'x' }])
  await forge.app.db.deleteFrom('projects').where('creator_id', '=', carl.id).execute()
  await forge.app.db.deleteFrom('users').where('id', '=', carl.id).execute()
  expect(await rows()).toEqual([])
})

describe('for lists of other features', () => {
  test('the attributes of many come by one statement', async () => {
    const bob = await forge.user()
    const root = forge.as(forge.root)
    await root.put(at('user', 'b'), { value: '2' })
    await root.put(at('user', 'a'), { value: '1' })
    const found = new Map<number, unknown>()
    const { statements } = await forge.cost(async () => {
      for (const [id, attributes] of await customAttributesOf(forge.app.db, 'user', [ada.id, bob.id])) found.set(id, attributes)
    })
    expect([...found]).toEqual([
      [
        ada.id,
        [
          { key: 'a', value: '1' },
          { key: 'b', value: '2' },
        ],
      ],
      [bob.id, []],
    ])
    expect(statements).toBe(1)
    expect(await customAttributesOf(forge.app.db, 'user', [])).toEqual(new Map())
  })

  test('a filter keeps what has every pair, and is without effect for who is no administrator', async () => {
    const bob = await forge.user()
    const root = forge.as(forge.root)
    await root.put(at('user', 'role'), { value: 'Tester' })
    await root.put(at('user', 'floor'), { value: '2' })
    await root.put(`/users/${bob.id}/custom_attributes/role`, { value: 'Tester' })
    await root.put(at('project', 'role'), { value: 'Tester' })
    const names = async (wanted: Record<string, string> | undefined, viewer: TestUser | null = forge.root) => {
      const query = forge.app.db.selectFrom('users').select('id').where('id', 'in', [ada.id, bob.id])
      const found = await query
        .where(matchesAttributes('user', wanted, viewer))
        .orderBy('id')
        .execute()
      return found.map(({ id }) => id)
    }
    expect(await names({ role: 'Tester' })).toEqual([ada.id, bob.id])
    expect(await names({ role: 'Tester', floor: '2' })).toEqual([ada.id])
    for (const nothing of [{ role: 'tester' }, { floor: '1' }, { role: 'Te\0ster' }, { 'a\0b': 'x' }, { role: 'Tester', a: 'b' }]) {
      expect([nothing, await names(nothing)]).toEqual([nothing, []])
    }
    for (const everything of [undefined, {}]) expect(await names(everything)).toHaveLength(2)
    for (const other of [ada, null]) expect(await names({ floor: '2' }, other)).toHaveLength(2)
  })
})
