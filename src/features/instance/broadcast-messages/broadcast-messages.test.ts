/** Broadcast messages: administrators alone write and read them, and each says whether it is to be shown now. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Forge, testForge } from '../../../../test/support/forge.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

afterEach(async () => {
  await forge.app.db.deleteFrom('broadcast_messages').execute()
})

const path = '/broadcast_messages'
const root = () => forge.as(forge.root)
const rows = () => forge.app.db.selectFrom('broadcast_messages').selectAll().orderBy('id').execute()
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a message is created, shown for an hour, changed and deleted', async () => {
  const made = await root().post(path, { message: 'Deploy in progress' })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      message: 'Deploy in progress',
      starts_at: expect.stringMatching(/Z$/),
      ends_at: expect.stringMatching(/Z$/),
      color: '#E75E40',
      font: '#FFFFFF',
      active: true,
    },
  ])
  expect(Date.parse(made.body.ends_at) - Date.parse(made.body.starts_at)).toBe(3_600_000)
  const own = `${path}/${made.body.id}`
  expect((await root().get(own)).body).toEqual(made.body)
  const changed = await root().put(own, { message: 'Done', color: '#abc', ends_at: '2016-08-26T20:21:16+02:00' })
  const expected = { ...made.body, message: 'Done', color: '#abc', ends_at: '2016-08-26T18:21:16.000Z', active: false }
  expect([changed.status, changed.body]).toEqual([200, expected])
  expect((await root().put(own, {})).body).toEqual(expected)
  const removed = await root().delete(own)
  expect([removed.status, removed.text]).toEqual([204, ''])
  for (const gone of [await root().get(own), await root().put(own, { message: 'x' }), await root().delete(own)]) {
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Not found' }])
  }
})

test('it is active between its instants', async () => {
  const activeFrom = async (starts_at: string, ends_at: string) =>
    (await root().post(path, { message: 'x', starts_at, ends_at })).body.active
  expect(await activeFrom(inHours(-1), inHours(1))).toBe(true)
  expect(await activeFrom(inHours(1), inHours(2))).toBe(false)
  expect(await activeFrom(inHours(-2), inHours(-1))).toBe(false)
  expect(await activeFrom(inHours(1), inHours(-1))).toBe(false)
})

test('it is not deleted with a stale If-Unmodified-Since', async () => {
  const { body } = await root().post(path, { message: 'x' })
  const made = '2020-01-01T00:00:00.000Z'
  await forge.app.db.updateTable('broadcast_messages').set({ created_at: made }).execute()
  await root().put(`${path}/${body.id}`, { message: 'y' })
  const headers = { 'if-unmodified-since': new Date(made).toUTCString() }
  const refused = await root().delete(`${path}/${body.id}`, undefined, { headers })
  expect([refused.status, refused.body]).toEqual([412, { message: '412 Precondition Failed' }])
  expect(await rows()).toHaveLength(1)
})

test('the newest is listed first, page by page', async () => {
  for (const message of ['one', 'two', 'three']) await root().post(path, { message })
  const list = await root().get(`${path}?per_page=2`)
  expect([list.body.map(({ message }: { message: string }) => message), list.headers['x-total']]).toEqual([['three', 'two'], '3'])
})

test.each([
  [{}, { error: 'message is missing' }],
  [{ message: '' }, { message: { message: ["can't be blank"] } }],
  [{ message: ' \n' }, { message: { message: ["can't be blank"] } }],
  [{ message: 'x'.repeat(10_001) }, { message: { message: ['is too long (maximum is 10000 characters)'] } }],
  [{ message: 'a\0b' }, { error: 'message is invalid' }],
  [{ message: 'x', color: 'red' }, { message: { color: ['must be a valid color code'] } }],
  [{ message: 'x', color: '#12345' }, { message: { color: ['must be a valid color code'] } }],
  [
    { message: 'x', color: '#fff;}', font: '#ggg' },
    { message: { color: ['must be a valid color code'], font: ['must be a valid color code'] } },
  ],
  [{ message: 'x', starts_at: 'soon' }, { error: expect.stringMatching(/^starts_at /) }],
  [{ message: 'x', ends_at: '+275760-09-13T00:00:00.001Z' }, { error: expect.stringMatching(/^ends_at /) }],
])('%j creates and changes nothing', async (body, refusal) => {
  const { body: known } = await root().post(path, { message: 'known' })
  const before = await rows()
  const created = await root().post(path, body)
  expect([created.status, created.body]).toEqual([400, refusal])
  if (Object.keys(body).length > 0) {
    const changed = await root().put(`${path}/${known.id}`, body)
    expect([changed.status, changed.body]).toEqual([400, refusal])
  }
  expect(await rows()).toEqual(before)
})

test('only administrators manage messages', async () => {
  const ada = await forge.user()
  const { body } = await root().post(path, { message: 'x' })
  const before = await rows()
  for (const [method, at, sent] of [
    ['GET', path],
    ['GET', `${path}/${body.id}`],
    ['POST', path, { message: 'y' }],
    ['PUT', `${path}/${body.id}`, { message: 'y' }],
    ['DELETE', `${path}/${body.id}`],
  ] as const) {
    const own = await forge.as(ada).request(method, at, sent)
    const unnamed = await forge.anonymous.request(method, at, sent)
    expect([method, own.status, unnamed.status]).toEqual([method, 403, 401])
  }
  expect(await rows()).toEqual(before)
})
