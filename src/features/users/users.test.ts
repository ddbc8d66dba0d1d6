/** Users through the API: who sees what of whom, and who may make them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../../../test/support/forge.ts'

let forge: Forge
let ada: TestUser

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user({ username: 'ada', name: 'Ada Lovelace', email: 'ada@private.example', bio: 'Engines', external: false })
})

const briefOf = ({ id, name, username, state }: TestUser) => ({
  id,
  name,
  username,
  state,
  avatar_url: null,
  web_url: `http://gitstead.test/${username}`,
})
const profileOf = (user: TestUser) => ({
  ...briefOf(user),
  created_at: user.created_at,
  bio: user.bio,
  location: null,
  skype: '',
  linkedin: '',
  twitter: '',
  website_url: '',
  organization: null,
})
const accountOf = (user: TestUser) => ({
  ...profileOf(user),
  email: user.email,
  theme_id: 1,
  color_scheme_id: 1,
  projects_limit: 100_000,
  last_sign_in_at: null,
  confirmed_at: user.confirmed_at,
  last_activity_on: expect.toSatisfy((day: unknown) => day === null || /^\d{4}-\d\d-\d\d$/.test(String(day))),
  current_sign_in_at: null,
  identities: [],
  can_create_group: true,
  can_create_project: true,
  two_factor_enabled: false,
  external: false,
  private_profile: false,
})

describe('a user', () => {
  test('sees himself in full, but for whether he is an administrator', async () => {
    const { status, body } = await forge.as(ada).get('/user')
    expect([status, body]).toEqual([200, accountOf(ada)])
    expect((await forge.as(forge.root).get('/user')).body).toMatchObject({ id: 1, username: 'root', name: 'Administrator', is_admin: true })
    const anonymous = await forge.anonymous.get('/user')
    expect([anonymous.status, anonymous.body]).toEqual([401, { message: '401 Unauthorized' }])
  })

  test('is shown to others without his address, to administrators in full', async () => {
    const other = await forge.user()
    for (const client of [forge.as(other), forge.anonymous, forge.as(ada)]) {
      expect((await client.get(`/users/${ada.id}`)).body).toEqual(profileOf(ada))
    }
    expect((await forge.as(forge.root).get(`/users/${ada.id}`)).body).toEqual({ ...accountOf(ada), is_admin: false })
  })

  test('with a private profile hides when he came, but not from himself and administrators', async () => {
    const shy = await forge.user({ private_profile: true })
    expect((await forge.as(ada).get(`/users/${shy.id}`)).body).not.toHaveProperty('created_at')
    for (const user of [shy, forge.root]) expect((await forge.as(user).get(`/users/${shy.id}`)).body.created_at).toBe(shy.created_at)
  })

  test('that is not there is not found', async () => {
    for (const id of ['999999', '99999999999999999999']) {
      const { status } = await forge.as(ada).get(`/users/${id}`)
      expect([id, [400, 404]]).toEqual([id, expect.arrayContaining([status])])
    }
    const { status, body } = await forge.as(ada).get('/users/999999')
    expect([status, body]).toEqual([404, { message: '404 User Not Found' }])
  })
})

describe('the list of users', () => {
  const names = async (query: string, client = forge.as(ada)) =>
    (await client.get(`/users?${query}`)).body.map(({ username }: { username: string }) => username)

  test('shows others in brief and administrators everything; no address reaches anybody else', async () => {
    const brief = await forge.as(ada).get('/users?username=ADA')
    expect([brief.status, brief.body, brief.headers['x-total']]).toEqual([200, [briefOf(ada)], '1'])
    expect((await forge.as(ada).get('/users?per_page=100')).text).not.toContain('@')
    expect((await forge.as(forge.root).get('/users?username=ada')).body).toEqual([{ ...accountOf(ada), is_admin: false }])
  })

  test('gives anybody one user by his name, and no more', async () => {
    expect(await names('username=ada', forge.anonymous)).toEqual(['ada'])
    for (const query of ['', 'search=ada', 'username=']) {
      const { status, body } = await forge.anonymous.get(`/users?${query}`)
      expect([query, status, body]).toEqual([query, 403, { message: '403 Forbidden - Not authorized to access /api/v4/users' }])
    }
  })

  test('is searched by part of a name or user name, and by a whole address only; who is called just that comes first', async () => {
    await forge.user({ username: 'zoe', name: 'Zoe' })
    await forge.user({ username: 'zoe2', name: 'Aaron Zoes' })
    await forge.user({ username: 'amazoe', name: 'Zoe the Second' })
    expect(await names('search=ZOE')).toEqual(['zoe', 'zoe2', 'amazoe'])
    expect(await names('search=lovel')).toEqual(['ada'])
    expect(await names('search=ada%40private.example')).toEqual(['ada'])
    expect(await names('search=private.example')).toEqual([])
    expect(await names('search=%25')).toEqual([])
    expect(await names('search=zoe', forge.as(forge.root))).toEqual(['amazoe', 'zoe2', 'zoe'])
  })

  test('is filtered by state, and by what only administrators may ask for', async () => {
    await forge.user({ username: 'filter-blocked', state: 'blocked' })
    await forge.user({ username: 'filter-external', external: true, provider: 'ldap', extern_uid: 'uid=1' })
    await forge.user({ username: 'filter-plain' })
    expect(await names('search=filter-&blocked=true')).toEqual(['filter-blocked'])
    expect(await names('search=filter-&active=true')).toEqual(['filter-plain'])
    const root = forge.as(forge.root)
    expect(await names('search=filter-', root)).toEqual(['filter-plain', 'filter-external', 'filter-blocked'])
    expect(await names('search=filter-&external=true', root)).toEqual(['filter-external'])
    expect(await names('provider=ldap&extern_uid=uid%3D1', root)).toEqual(['filter-external'])
    expect((await root.get('/users?provider=ldap&extern_uid=uid%3D1')).body[0].identities).toEqual([
      { provider: 'ldap', extern_uid: 'uid=1' },
    ])
    expect(await names('search=filter-&order_by=username&sort=asc', root)).toEqual(['filter-blocked', 'filter-external', 'filter-plain'])
    expect(await names('search=filter-&created_after=2100-01-01', root)).toEqual([])
    expect(await names('search=filter-&created_before=2100-01-01', root)).toHaveLength(3)
  })

  test('external users are seen by administrators only, and only they may filter by what others cannot see', async () => {
    await forge.user({ username: 'outsider', external: true })
    expect(await names('username=outsider')).toEqual([])
    for (const query of ['external=true', 'provider=ldap&extern_uid=1']) {
      const { status, body } = await forge.as(ada).get(`/users?${query}`)
      expect([query, status, body]).toEqual([query, 403, { message: '403 Forbidden' }])
    }
    expect(await names('search=outsider&created_before=2000-01-01&order_by=name')).toEqual([])
    const half = await forge.as(forge.root).get('/users?provider=ldap')
    expect([half.status, half.body]).toEqual([400, { error: 'extern_uid, provider provide all or none of parameters' }])
  })
})

describe('creating a user', () => {
  const complete = { email: 'new@example.com', username: 'newcomer', name: 'New Comer', password: 'long enough' }
  const count = async () => (await forge.app.db.selectFrom('users').select('id').execute()).length

  test('is for administrators', async () => {
    const before = await count()
    const refused = await forge.as(ada).post('/users', complete)
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await forge.anonymous.post('/users', complete)).status).toBe(401)
    expect(await count()).toBe(before)
  })

  test('gives his account, and a namespace that he can create projects in', async () => {
    const settings = {
      skype: 's',
      linkedin: 'l',
      twitter: 't',
      website_url: 'https://example.com',
      organization: 'O',
      bio: 'B',
      location: 'L',
      projects_limit: 3,
      can_create_group: false,
      private_profile: true,
    }
    const { status, body } = await forge
      .as(forge.root)
      .post('/users', { ...complete, ...settings, admin: false, skip_confirmation: true, provider: 'ldap', extern_uid: 'uid=new' })
    expect([status, body]).toMatchObject([
      201,
      {
        ...settings,
        username: 'newcomer',
        email: 'new@example.com',
        state: 'active',
        is_admin: false,
        external: false,
        confirmed_at: expect.any(String),
        identities: [{ provider: 'ldap', extern_uid: 'uid=new' }],
      },
    ])
    expect(JSON.stringify(body)).not.toContain('password')
    const made = await forge.as(forge.root, { headers: { sudo: 'newcomer' } }).post('/projects', { name: 'Mine' })
    expect([made.status, made.body.path_with_namespace]).toEqual([201, 'newcomer/mine'])
  })

  test('needs an address, a name, a user name and a password or the wish to have it reset', async () => {
    for (const field of ['email', 'username', 'name'] as const) {
      const { [field]: _, ...rest } = complete
      const { status, body } = await forge.as(forge.root).post('/users', rest)
      expect([status, body]).toEqual([400, { error: `${field} is missing` }])
    }
    const { password: _, ...rest } = complete
    const { status, body } = await forge.as(forge.root).post('/users', rest)
    expect([status, body]).toEqual([400, { error: 'password, reset_password are missing, at least one parameter must be provided' }])
    const reset = await forge.as(forge.root).post('/users', { ...rest, email: 'r@example.com', username: 'reset', reset_password: true })
    expect(reset.status).toBe(201)
  })

  test('with what is taken conflicts, whatever the case; also with the path of a group', async () => {
    await forge.as(forge.root).post('/users', { ...complete, username: 'taken', email: 'taken@example.com' })
    await forge.group({ path: 'taken-group' })
    const before = await count()
    for (const [change, message] of [
      [{ username: 'other', email: 'TAKEN@example.com' }, 'Email has already been taken'],
      [{ username: 'Taken', email: 'other@example.com' }, 'Username has already been taken'],
      [{ username: 'Taken-Group', email: 'other@example.com' }, 'Username has already been taken'],
      [{ username: 'taken', email: 'taken@example.com' }, 'Email has already been taken'],
    ] as const) {
      const { status, body } = await forge.as(forge.root).post('/users', { ...complete, ...change })
      expect([change, status, body]).toEqual([change, 409, { message }])
    }
    expect(await count()).toBe(before)
  })

  test('five times at once under one name succeeds once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        forge.as(forge.root).post('/users', { ...complete, username: 'racer', email: `racer${index}@example.com` }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('with fields that cannot be is refused with the reason for each', async () => {
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    const before = await count()
    for (const [change, message] of [
      [{ password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
      [{ password: 'x'.repeat(129) }, { password: ['is too long (maximum is 128 characters)'] }],
      [{ bio: 'x'.repeat(256) }, { bio: ['is too long (maximum is 255 characters)'] }],
      [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
      [{ email: 'nonsense' }, { email: ['is invalid'] }],
      [{ name: ' ' }, { name: ["can't be blank"] }],
      [
        { username: '-x', email: 'a b@c' },
        { username: [format], email: ['is invalid'] },
      ],
      ...['x.', 'a/b', 'ü', 'x.git', 'x.atom', 'a b'].map((username) => [{ username }, { username: [format] }] as const),
      ...['admin', 'API', 'users', 'help'].map((username) => [{ username }, { username: [`${username} is a reserved name`] }] as const),
    ] as const) {
      const { status, body } = await forge
        .as(forge.root)
        .post('/users', { ...complete, username: 'fine', email: 'fine@example.com', ...change })
      expect([change, status, body]).toEqual([change, 400, { message }])
    }
    expect(await count()).toBe(before)
  })
})
