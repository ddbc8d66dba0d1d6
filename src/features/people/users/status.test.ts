/** The status message of users: who reads it, which texts are accepted, and that it is safe to show. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let ada: TestUser

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user()
})

afterEach(async () => {
  await forge.app.db.deleteFrom('user_statuses').execute()
})

const say = (body: unknown) => forge.as(ada).put('/user/status', body)
const rows = () => forge.app.db.selectFrom('user_statuses').selectAll().execute()
const silence = { emoji: null, message: null, message_html: '' }
const coffee = '<span title="hot beverage" data-name="coffee">☕</span>'

test('a user sets and changes a status, and everybody reads it, by id and by username', async () => {
  const said = await say({ emoji: 'coffee', message: 'I crave coffee :coffee:' })
  const expected = { emoji: 'coffee', message: 'I crave coffee :coffee:', message_html: `I crave coffee ${coffee}` }
  expect([said.status, said.body]).toEqual([200, expected])
  expect((await forge.as(ada).get('/user/status')).body).toEqual(expected)
  for (const name of [ada.id, ada.username, ada.username.toUpperCase()]) {
    for (const client of [forge.as(forge.root), forge.anonymous]) {
      const { status, body } = await client.get(`/users/${name}/status`)
      expect([name, status, body]).toEqual([name, 200, expected])
    }
  }
  await say({ emoji: 'tea', message: 'Enough' })
  expect((await forge.as(ada).get('/user/status')).body).toEqual({ emoji: 'tea', message: 'Enough', message_html: 'Enough' })
  expect(await rows()).toHaveLength(1)
})

test('PATCH changes what is sent, and keeps the rest', async () => {
  const change = async (body: object) => {
    const { status, body: changed } = await forge.as(ada).patch('/user/status', body)
    return [status, changed.emoji, changed.message]
  }
  await say({ emoji: 'tea', message: 'Enough' })
  expect(await change({ message: 'More' })).toEqual([200, 'tea', 'More'])
  expect(await change({ emoji: 'coffee' })).toEqual([200, 'coffee', 'More'])
  expect(await change({})).toEqual([200, 'coffee', 'More'])
  expect(await change({ message: '' })).toEqual([200, 'coffee', ''])
  expect((await forge.as(ada).patch('/user/status', { emoji: 'not-an-emoji' })).status).toBe(400)
  expect(await change({ emoji: '' })).toEqual([200, null, null])
  expect((await forge.anonymous.patch('/user/status', { message: 'x' })).status).toBe(401)
})

test('an unset status is empty, and an unknown user gets 404', async () => {
  expect((await forge.as(ada).get('/user/status')).body).toEqual(silence)
  for (const name of ['999999', 'nobody-here', 'a%00b', '0']) {
    const { status, body } = await forge.as(ada).get(`/users/${name}/status`)
    expect([name, status, body]).toEqual([name, 404, { message: '404 User Not Found' }])
  }
})

test('without an emoji it has a speech balloon, without a message only the emoji', async () => {
  expect((await say({ message: 'Hello' })).body).toEqual({ emoji: 'speech_balloon', message: 'Hello', message_html: 'Hello' })
  expect((await say({ emoji: 'tea' })).body).toEqual({ emoji: 'tea', message: '', message_html: '' })
})

test.each([{}, { emoji: '', message: '' }, { emoji: ' ', message: '\n' }, { emoji: null, message: null }])('%j clears it', async (body) => {
  await say({ emoji: 'tea', message: 'Hello' })
  const { status, body: cleared } = await say(body)
  expect([status, cleared]).toEqual([200, silence])
  expect(await rows()).toEqual([])
  expect((await say(body)).status).toBe(200)
})

test.each([
  [{ emoji: 'no_such_emoji' }, { message: { emoji: ['is not included in the list'] } }],
  [{ emoji: ':tea:' }, { message: { emoji: ['is not included in the list'] } }],
  [{ emoji: 'constructor' }, { message: { emoji: ['is not included in the list'] } }],
  [{ emoji: '☕' }, { message: { emoji: ['is not included in the list'] } }],
  [{ emoji: 'tea', message: 'x'.repeat(101) }, { message: { message: ['is too long (maximum is 100 characters)'] } }],
  [
    { emoji: '__proto__', message: '😀'.repeat(101) },
    { message: { emoji: ['is not included in the list'], message: ['is too long (maximum is 100 characters)'] } },
  ],
  [{ emoji: ['tea'] }, { error: 'emoji is invalid' }],
  [{ message: { a: 'b' } }, { error: 'message is invalid' }],
  [{ message: 'a\0b' }, { error: 'message is invalid' }],
])('%j is refused, and what was said stays', async (body, refusal) => {
  await say({ emoji: 'tea', message: 'Hello' })
  const before = await rows()
  const answer = await say(body)
  expect([answer.status, answer.body]).toEqual([400, refusal])
  expect(await rows()).toEqual(before)
})

test('a message may have a hundred characters, however many bytes they take', async () => {
  for (const letter of ['x', '😀']) expect((await say({ message: letter.repeat(100) })).status).toBe(200)
})

test.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['<img src=x onerror="alert(1)">', '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'],
  ['&lt;b&gt; &amp;', '&amp;lt;b&amp;gt; &amp;amp;'],
  [':coffee:', coffee],
  ['(:coffee:)', `(${coffee})`],
  ['☕', coffee],
  ['x☕☕', `x${coffee}${coffee}`],
  [':flag-x: :antigua_barbuda:', ':flag-x: <span title="flag: Antigua &amp; Barbuda" data-name="antigua_barbuda">🇦🇬</span>'],
  ['a:coffee: :coffee:b :coffee::coffee:', 'a:coffee: :coffee:b :coffee::coffee:'],
  [':no_such: :constructor: 12:30:45', ':no_such: :constructor: 12:30:45'],
  ['👩‍👩‍👧', '<span title="family: woman, woman, girl" data-name="family_woman_woman_girl">👩‍👩‍👧</span>'],
])('%s is shown as %s', async (message, html) => {
  const { body } = await say({ message })
  expect([body.message, body.message_html]).toEqual([message, html])
})

test('a status can’t be set for others, anonymously, or with a read-only token', async () => {
  expect((await forge.anonymous.get('/user/status')).status).toBe(401)
  expect((await forge.anonymous.put('/user/status', { message: 'x' })).status).toBe(401)
  const reader = forge.as(ada, { token: await forge.token(ada, { scopes: ['read_user'] }) })
  expect((await reader.get('/user/status')).status).toBe(200)
  expect((await reader.put('/user/status', { message: 'x' })).status).toBe(403)
  expect((await forge.as(forge.root).put(`/users/${ada.id}/status`, { message: 'x' })).status).toBe(405)
  expect(await rows()).toEqual([])
})

test('ten statuses set at the same time leave one', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => say({ message: `${index}` })))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await rows()).toHaveLength(1)
})
