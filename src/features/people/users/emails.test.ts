/** The further addresses of users: one key space with the primary ones, each seen by its user and by administrators. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let ada: TestUser

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user({ username: 'ada' })
})

const root = () => forge.as(forge.root)
const own = (user: TestUser) => forge.as(user).get('/user/emails')

test('a user adds, lists and removes secondary addresses; the primary one is not among them', async () => {
  const user = await forge.user()
  const added = await forge.as(user).post('/user/emails', { email: ' Second@Example.com ' })
  expect([added.status, added.body]).toEqual([201, { id: expect.any(Number), email: 'second@example.com' }])
  const { id } = added.body
  const list = await own(user)
  expect([list.status, list.body, list.headers['x-total']]).toEqual([200, [added.body], '1'])
  expect((await forge.as(user).get(`/user/emails/${id}`)).body).toEqual(added.body)
  const gone = await forge.as(user).delete(`/user/emails/${id}`)
  expect([gone.status, gone.text]).toEqual([204, ''])
  expect((await own(user)).body).toEqual([])
})

test('administrators do the same for others, and nobody else does', async () => {
  const user = await forge.user()
  const added = await root().post(`/users/${user.id}/emails`, { email: 'by-root@example.com', skip_confirmation: true })
  expect([added.status, added.body]).toEqual([201, { id: expect.any(Number), email: 'by-root@example.com' }])
  expect((await root().get(`/users/${user.id}/emails`)).body).toEqual([added.body])
  expect((await own(user)).body).toEqual([added.body])
  for (const [client, status] of [
    [forge.as(ada), 403],
    [forge.as(user), 403],
    [forge.anonymous, 401],
  ] as const) {
    expect((await client.get(`/users/${user.id}/emails`)).status).toBe(status)
    expect((await client.post(`/users/${user.id}/emails`, { email: 'x@example.com' })).status).toBe(status)
    expect((await client.delete(`/users/${user.id}/emails/${added.body.id}`)).status).toBe(status)
  }
  expect((await root().delete(`/users/${user.id}/emails/${added.body.id}`)).status).toBe(204)
  expect((await own(user)).body).toEqual([])
})

test('an address of another user, or a primary one, can’t be read or removed here: 404', async () => {
  const user = await forge.user()
  const { body: theirs } = await forge.as(user).post('/user/emails', { email: 'theirs@example.com' })
  const primary = await forge.app.db.selectFrom('emails').select('id').where('email', '=', ada.email).executeTakeFirstOrThrow()
  for (const id of [theirs.id, primary.id, 999_999]) {
    for (const answer of [
      await forge.as(ada).get(`/user/emails/${id}`),
      await forge.as(ada).delete(`/user/emails/${id}`),
      await root().delete(`/users/${ada.id}/emails/${id}`),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Email Not Found' }])
    }
  }
  for (const answer of [
    await root().get('/users/999999/emails'),
    await root().post('/users/999999/emails', { email: 'x@example.com' }),
    await root().delete(`/users/999999/emails/${theirs.id}`),
  ]) {
    expect([answer.status, answer.body]).toEqual([404, { message: '404 User Not Found' }])
  }
  expect((await own(user)).body).toEqual([theirs])
})

test('one changed after If-Unmodified-Since is not removed', async () => {
  const { body } = await forge.as(ada).post('/user/emails', { email: 'changed@example.com' })
  const headers = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
  const { status } = await forge.as(ada).delete(`/user/emails/${body.id}`, undefined, { headers })
  expect(status).toBe(412)
  expect((await forge.as(ada).get(`/user/emails/${body.id}`)).status).toBe(200)
})

describe('an address', () => {
  const count = async () => (await forge.app.db.selectFrom('emails').select('id').execute()).length

  test('that cannot be is refused, and so is one that anybody has, as primary or not', async () => {
    const user = await forge.user()
    await forge.as(user).post('/user/emails', { email: 'taken@example.com' })
    const before = await count()
    for (const [email, fieldError] of [
      ['', "can't be blank"],
      ['nonsense', 'is invalid'],
      ['a b@example.com', 'is invalid'],
      ['a@b\u0000', null],
      [`${'x'.repeat(255)}@example.com`, 'is too long (maximum is 255 characters)'],
      ['TAKEN@example.com', 'has already been taken'],
      [user.email.toUpperCase(), 'has already been taken'],
      [ada.email, 'has already been taken'],
    ] as const) {
      const { status, body } = await forge.as(ada).post('/user/emails', { email })
      const said = fieldError === null ? { error: 'email is invalid' } : { message: { email: [fieldError] } }
      expect([email, status, body]).toEqual([email, 400, said])
    }
    for (const [sent, error] of [
      [{}, 'email is missing'],
      [{ email: ['a@b'] }, 'email is invalid'],
      [{ email: { a: 'b' } }, 'email is invalid'],
    ] as const) {
      const { status, body } = await forge.as(ada).post('/user/emails', sent)
      expect([sent, status, body]).toEqual([sent, 400, { error }])
    }
    expect(await count()).toBe(before)
  })

  test('that was added by one user is no new user\'s: "taken" is 409 there', async () => {
    await forge.as(ada).post('/user/emails', { email: 'held@example.com' })
    const sent = { email: 'Held@example.com', username: 'holder', name: 'Holder', password: 'long enough' }
    const { status, body } = await root().post('/users', sent)
    expect([status, body]).toEqual([409, { message: 'Email has already been taken' }])
  })

  test('requested by ten users at once is given to one, as primary or not', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => forge.user()))
    const answers = await Promise.all([
      ...users.map((user) => forge.as(user).post('/user/emails', { email: 'raced@example.com' })),
      ...users.map((_, index) =>
        root().post('/users', { email: 'raced@example.com', username: `racer${index}`, name: 'Racer', reset_password: true }),
      ),
    ])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of answers) expect([201, 400, 409]).toContain(status)
    const rows = await forge.app.db.selectFrom('emails').select('id').where('email_key', '=', 'raced@example.com').execute()
    expect(rows).toHaveLength(1)
  })
})
