/** Users through the API: who sees what of whom, and who may make them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'

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
  avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
  web_url: `http://gitstead.test/${username}`,
})
const profileOf = (user: TestUser) => ({
  ...briefOf(user),
  created_at: user.created_at,
  bot: false,
  bio: user.bio,
  location: null,
  skype: '',
  linkedin: '',
  twitter: '',
  website_url: '',
  organization: '',
  public_email: '',
  job_title: '',
  pronouns: '',
  work_information: null,
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

const brief = ['id', 'name', 'username', 'state', 'avatar_url', 'web_url']
const lines = ['skype', 'linkedin', 'twitter', 'website_url', 'organization', 'public_email', 'job_title', 'pronouns', 'work_information']
const profile = [...brief, 'created_at', 'bot', 'bio', 'location', ...lines]
const signIns = ['last_sign_in_at', 'confirmed_at', 'last_activity_on', 'current_sign_in_at']
const rights = ['projects_limit', 'can_create_group', 'can_create_project', 'external', 'private_profile', 'two_factor_enabled']
const account = [...profile, ...signIns, ...rights, 'email', 'theme_id', 'color_scheme_id', 'identities']

describe('a user', () => {
  test.each([
    { who: 'anybody', path: '/users/:id', fields: profile },
    { who: 'another user', path: '/users/:id', fields: profile },
    { who: 'the user', path: '/users/:id', fields: profile },
    { who: 'the user', path: '/user', fields: account },
    { who: 'an administrator', path: '/users/:id', fields: [...account, 'is_admin'] },
    { who: 'an administrator', path: '/users/:id?with_custom_attributes=true', fields: [...account, 'is_admin', 'custom_attributes'] },
    { who: 'another user', path: '/users/:id?with_custom_attributes=true', fields: profile },
    { who: 'another user', path: '/users?username=ada', fields: brief },
    { who: 'anybody', path: '/users?username=ada', fields: brief },
    { who: 'an administrator', path: '/users?username=ada', fields: [...account, 'is_admin'] },
  ])('is shown to $who at $path with exactly the fields of that view', async ({ who, path, fields }) => {
    const clients = {
      anybody: forge.anonymous,
      'another user': forge.as(await forge.user()),
      'the user': forge.as(ada),
      'an administrator': forge.as(forge.root),
    }
    const { status, body } = await clients[who as keyof typeof clients].get(path.replace(':id', String(ada.id)))
    expect([status, Object.keys(Array.isArray(body) ? body[0] : body).sort()]).toEqual([200, [...fields].sort()])
  })

  test('may create projects up to the projects limit', async () => {
    const user = await forge.user({ projects_limit: 1 })
    expect((await forge.as(user).get('/user')).body.can_create_project).toBe(true)
    await forge.project({ owner: user, files: null })
    expect((await forge.as(user).get('/user')).body.can_create_project).toBe(false)
  })

  test('sees their own account in full, but for is_admin', async () => {
    const { status, body } = await forge.as(ada).get('/user')
    expect([status, body]).toEqual([200, accountOf(ada)])
    expect((await forge.as(forge.root).get('/user')).body).toMatchObject({ id: 1, username: 'root', name: 'Administrator', is_admin: true })
    const anonymous = await forge.anonymous.get('/user')
    expect([anonymous.status, anonymous.body]).toEqual([401, { message: '401 Unauthorized' }])
  })

  test('is shown to others without the email address, to administrators in full', async () => {
    const other = await forge.user()
    for (const client of [forge.as(other), forge.anonymous, forge.as(ada)]) {
      expect((await client.get(`/users/${ada.id}`)).body).toEqual(profileOf(ada))
    }
    expect((await forge.as(forge.root).get(`/users/${ada.id}`)).body).toEqual({ ...accountOf(ada), is_admin: false })
  })

  test('with a private profile hides created_at from everybody but the user and administrators', async () => {
    const shy = await forge.user({ private_profile: true })
    expect((await forge.as(ada).get(`/users/${shy.id}`)).body).not.toHaveProperty('created_at')
    for (const user of [shy, forge.root]) expect((await forge.as(user).get(`/users/${shy.id}`)).body.created_at).toBe(shy.created_at)
  })

  test('that is not there is not found', async () => {
    for (const id of ['999999', '99999999999999999999', '0', '-1', '1ASDF', '1.5', 'ada', '%2F1']) {
      for (const client of [forge.as(ada), forge.as(forge.root), forge.anonymous]) {
        const { status, body } = await client.get(`/users/${id}`)
        expect([id, status, body]).toEqual([id, 404, { message: '404 User Not Found' }])
      }
    }
  })

  test('is changed by id only, not by username', async () => {
    const root = forge.as(forge.root)
    for (const id of ['ada', 'ASDF', '1ASDF', '99999999999999999999']) {
      for (const answer of [
        await root.put(`/users/${id}`, { bio: 'Not this' }),
        await root.delete(`/users/${id}`),
        await root.post(`/users/${id}/block`),
        await root.post(`/users/${id}/unblock`),
        await root.get(`/users/${id}/emails`),
        await root.post(`/users/${id}/emails`, { email: 'by-name@example.com' }),
        await root.delete(`/users/${id}/emails/1`),
        await root.get(`/users/${id}/keys`),
        await root.get(`/users/${id}/gpg_keys`),
        await root.post(`/users/${id}/gpg_keys/1/revoke`),
      ]) {
        expect([id, answer.status, answer.body]).toEqual([id, 404, { message: '404 User Not Found' }])
      }
    }
    expect((await root.get(`/users/${ada.id}`)).body).toMatchObject({ bio: 'Engines', state: 'active' })
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

  test('gives anonymous callers one user by username, and no more', async () => {
    expect(await names('username=ada', forge.anonymous)).toEqual(['ada'])
    for (const query of ['', 'search=ada', 'username=']) {
      const { status, body } = await forge.anonymous.get(`/users?${query}`)
      expect([query, status, body]).toEqual([query, 403, { message: '403 Forbidden - Not authorized to access /api/v4/users' }])
    }
  })

  test('is searched by part of a name or username, and by whole email only; exact matches come first', async () => {
    await forge.user({ username: 'zoe', name: 'Zoe' })
    await forge.user({ username: 'zoe2', name: 'Aaron Zoes' })
    await forge.user({ username: 'amazoe', name: 'Zoe the Second' })
    expect(await names('search=ZOE')).toEqual(['zoe', 'zoe2', 'amazoe'])
    expect(await names('search=lovel')).toEqual(['ada'])
    expect(await names('search=ada%40private.example', forge.as(forge.root))).toEqual(['ada'])
    expect(await names('search=ada%40private.example', forge.as(ada))).toEqual(['ada'])
    expect(await names('search=ada%40private.example', forge.as(await forge.user()))).toEqual([])
    expect(await names('search=private.example')).toEqual([])
    expect(await names('search=%25')).toEqual([])
    expect(await names('search=lovelace%20ada')).toEqual(['ada'])
    expect(await names('search=lovelace%20of%20ADA')).toEqual(['ada'])
    expect(await names('search=%22ada%20love%22')).toEqual(['ada'])
    expect(await names('search=%22love%20ada%22')).toEqual([])
    expect(await names('search=lovelace%20babbage')).toEqual([])
    expect(await names('search=zoe', forge.as(forge.root))).toEqual(['amazoe', 'zoe2', 'zoe'])
  })

  test('is filtered by state, and by filters for administrators', async () => {
    await forge.user({ username: 'filter-blocked', state: 'blocked' })
    await forge.user({ username: 'filter-external', external: true, provider: 'ldap', extern_uid: 'uid=1' })
    await forge.user({ username: 'filter-plain' })
    expect(await names('search=filter-&blocked=true')).toEqual(['filter-blocked'])
    expect(await names('search=filter-&active=true')).toEqual(['filter-plain'])
    const root = forge.as(forge.root)
    expect(await names('search=filter-', root)).toEqual(['filter-plain', 'filter-external', 'filter-blocked'])
    expect(await names('search=filter-&external=true', root)).toEqual(['filter-external'])
    expect(await names('provider=ldap&extern_uid=uid%3D1', root)).toEqual(['filter-external'])
    expect(await names('provider=ldap&extern_uid=UID%3D1', root)).toEqual(['filter-external'])
    expect(await names('provider=saml&extern_uid=uid%3D1', root)).toEqual([])
    expect((await root.get('/users?provider=ldap&extern_uid=uid%3D1')).body[0].identities).toEqual([
      { provider: 'ldap', extern_uid: 'uid=1' },
    ])
    expect(await names('search=filter-&order_by=username&sort=asc', root)).toEqual(['filter-blocked', 'filter-external', 'filter-plain'])
    expect(await names('search=filter-&created_after=2100-01-01', root)).toEqual([])
    expect(await names('search=filter-&created_before=2100-01-01', root)).toHaveLength(3)
  })

  test('is filtered by created_at, but leaves out private profiles', async () => {
    const [open, shy] = [await forge.user({ username: 'came-open' }), await forge.user({ username: 'came-shy', private_profile: true })]
    for (const { id } of [open, shy])
      await forge.app.db.updateTable('users').set({ created_at: '2001-01-01T12:00:00.000Z' }).where('id', '=', id).execute()
    const then = 'search=came-&created_before=2001-01-02T00:00:00.060Z&created_after=1999-01-02T00:00:00.060'
    expect(await names(then, forge.as(forge.root))).toEqual(['came-shy', 'came-open'])
    expect(await names(then)).toEqual(['came-open'])
    expect(await names(then, forge.as(shy))).toEqual(['came-open', 'came-shy'])
    expect(await names('username=came-shy&created_before=2002-01-01', forge.anonymous)).toEqual([])
    expect(await names('username=came-open&created_before=2002-01-01', forge.anonymous)).toEqual(['came-open'])
    expect(await names('search=came-&created_after=2001-01-02')).toEqual([])
    const wrong = await forge.as(ada).get('/users?created_after=lately')
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'created_after is invalid' }])
  })

  test('is filtered by custom attributes and shows them, for administrators', async () => {
    const root = forge.as(forge.root)
    const [one, two] = [await forge.user({ username: 'noted-1' }), await forge.user({ username: 'noted-2' })]
    for (const { id } of [one, two]) await root.put(`/users/${id}/custom_attributes/team`, { value: 'red' })
    await root.put(`/users/${two.id}/custom_attributes/desk`, { value: '7' })
    expect(await names('custom_attributes[team]=red', root)).toEqual(['noted-2', 'noted-1'])
    expect(await names('custom_attributes[team]=red&custom_attributes[desk]=7', root)).toEqual(['noted-2'])
    expect(await names('custom_attributes[team]=blue', root)).toEqual([])
    const { body } = await root.get('/users?username=noted-2&with_custom_attributes=true')
    expect(body[0].custom_attributes).toEqual([
      { key: 'desk', value: '7' },
      { key: 'team', value: 'red' },
    ])
    // For everybody else it is as if it had not been said.
    expect(await names('search=noted-&custom_attributes[team]=blue&with_custom_attributes=true')).toHaveLength(2)
    const wrong = await root.get('/users?custom_attributes=red')
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'custom_attributes is invalid' }])
  })

  test('lists nobody with two-factor authentication', async () => {
    const root = forge.as(forge.root)
    expect(await names('username=ada&two_factor=enabled', root)).toEqual([])
    expect(await names('username=ada&two_factor=disabled', root)).toEqual(['ada'])
    expect(await names('username=ada&two_factor=enabled')).toEqual(['ada'])
    for (const query of ['two_factor=maybe', 'order_by=magic', 'sort=up']) {
      const { status, body } = await root.get(`/users?${query}`)
      expect([query, status, body]).toEqual([query, 400, { error: `${query.split('=')[0]} does not have a valid value` }])
    }
  })

  test('doesn’t reveal to anonymous callers whose email is whose', async () => {
    const query = 'username=ada&search=ada@private.example'
    expect(await names(query, forge.anonymous)).toEqual([])
    expect(await names(query)).toEqual(['ada'])
    expect(await names('username=ada&search=Lovelace', forge.anonymous)).toEqual(['ada'])
  })

  test('is hidden from anonymous callers where public visibility is restricted', async () => {
    await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: ['public'] })
    try {
      expect((await forge.anonymous.get('/users?username=ada')).status).toBe(403)
      const single = await forge.anonymous.get(`/users/${ada.id}`)
      expect([single.status, single.body]).toEqual([404, { message: '404 User Not Found' }])
      for (const name of ['ada', ada.id, 'nobody-of-this-name']) {
        const said = await forge.anonymous.get(`/users/${name}/status`)
        expect([name, said.status, said.body]).toEqual([name, 404, { message: '404 User Not Found' }])
      }
      expect((await forge.as(ada).get('/users/ada/status')).status).toBe(200)
      expect(await names('username=ada')).toEqual(['ada'])
    } finally {
      await forge.as(forge.root).put('/application/settings', { restricted_visibility_levels: [] })
    }
    expect(await names('username=ada', forge.anonymous)).toEqual(['ada'])
  })

  test('external users are seen by administrators only, and only they may filter by what others cannot see', async () => {
    await forge.user({ username: 'outsider', external: true })
    expect(await names('username=outsider')).toEqual([])
    for (const query of ['external=true', 'provider=ldap&extern_uid=1']) {
      const { status, body } = await forge.as(ada).get(`/users?${query}`)
      expect([query, status, body]).toEqual([query, 403, { message: '403 Forbidden' }])
      const unnamed = await forge.anonymous.get(`/users?username=outsider&${query}`)
      expect([query, unnamed.status, unnamed.body]).toEqual([query, 401, { message: '401 Unauthorized' }])
    }
    expect(await names('search=outsider&created_before=2000-01-01&order_by=name')).toEqual([])
    const empty = await forge.as(ada).get('/users?username=root&provider=&extern_uid=&external=')
    expect([empty.status, empty.body.length]).toEqual([200, 1])
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

  test('returns the account, and creates a namespace for the user’s projects', async () => {
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
    const { status, body } = await forge.as(forge.root).post('/users', {
      ...complete,
      ...settings,
      email: ' New@Example.com ',
      admin: false,
      skip_confirmation: true,
      provider: 'ldap',
      extern_uid: 'uid=new',
    })
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

  test('needs an email, a name, a username, and a password or reset_password', async () => {
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

  test('with a taken name or email conflicts, ignoring case; also with a group’s path', async () => {
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

  test('takes defaults from the settings; an external user can create nothing', async () => {
    const root = forge.as(forge.root)
    let number = 0
    const make = async (fields: object) => {
      number += 1
      const { body } = await root.post('/users', { ...complete, username: `default${number}`, email: `d${number}@example.com`, ...fields })
      return [body.external, body.projects_limit, body.can_create_group]
    }
    await root.put('/application/settings', { default_projects_limit: 5, user_default_external: true })
    try {
      expect(await make({})).toEqual([true, 0, false])
      expect(await make({ external: false })).toEqual([false, 5, true])
      expect(await make({ external: false, projects_limit: 0, can_create_group: false })).toEqual([false, 0, false])
    } finally {
      await root.put('/application/settings', { default_projects_limit: 100_000, user_default_external: false })
    }
    expect(await make({})).toEqual([false, 100_000, true])
    expect(await make({ external: true, projects_limit: 9, can_create_group: true })).toEqual([true, 0, false])
  })

  test('with reset_password gets a random password, which replaces any that was sent', async () => {
    const fields = { ...complete, username: 'unknowable', email: 'unknowable@example.com', password: 'x', reset_password: true }
    expect((await forge.as(forge.root).post('/users', fields)).status).toBe(201)
    const { password_hash } = await forge.app.db
      .selectFrom('users')
      .select('password_hash')
      .where('username', '=', 'unknowable')
      .executeTakeFirstOrThrow()
    expect(password_hash).toBeNull()
  })

  test('with an avatar shows it at once; an avatar that is no image, has a script or is too large creates no user', async () => {
    const send = (fields: object, avatar: unknown) => {
      const { payload, headers } = asForm({ ...complete, ...fields, avatar }, { avatar: 'face.png' })
      return forge.as(forge.root).post('/users', payload, { headers })
    }
    const { status, body } = await send({ username: 'seen', email: 'seen@example.com' }, onePixel)
    expect([status, body.avatar_url]).toEqual([201, `http://gitstead.test/uploads/-/system/user/avatar/${body.id}/face.png`])
    const before = await count()
    const large = Buffer.concat([onePixel, Buffer.alloc(200 * 1024)])
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>')
    for (const [avatar, fieldError] of [
      [Buffer.from('no image'), /^file format is not supported/],
      [svg, /^file format is not supported/],
      [Buffer.alloc(0), /^file format is not supported/],
      [large, /^is too big \(should be at most 200 KB\)$/],
    ] as const) {
      const answer = await send({ username: 'unseen', email: 'unseen@example.com' }, avatar)
      expect([answer.status, answer.body]).toEqual([400, { message: { avatar: [expect.stringMatching(fieldError)] } }])
    }
    const text = await send({ username: 'unseen', email: 'unseen@example.com' }, 'text')
    expect([text.status, text.body]).toEqual([400, { error: 'avatar is invalid' }])
    const huge = await send({ username: 'unseen', email: 'unseen@example.com' }, Buffer.alloc(1_100_000))
    expect(huge.status).toBe(413)
    expect(await count()).toBe(before)
  })

  test('with values of a wrong type is refused, and nobody is made', async () => {
    const before = await count()
    for (const [change, error] of [
      [{ email: ['a@b'] }, 'email is invalid'],
      [{ username: { a: 'b' } }, 'username is invalid'],
      [{ name: null }, 'name is missing'],
      [{ projects_limit: 'many' }, 'projects_limit is invalid'],
      [{ projects_limit: 1.5 }, 'projects_limit is invalid'],
      [{ admin: 'perhaps' }, 'admin is invalid'],
      [{ skype: 'x'.repeat(256) }, 'skype does not have a valid value'],
      [{ name: 'a\0b' }, 'name is invalid'],
      [{ provider: 'ldap' }, 'extern_uid, provider provide all or none of parameters'],
    ] as const) {
      const { status, body } = await forge
        .as(forge.root)
        .post('/users', { ...complete, username: 'fine', email: 'fine@example.com', ...change })
      expect([change, status, body]).toEqual([change, 400, { error }])
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

  test('and groups at once under one path: one of them is created', async () => {
    const root = forge.as(forge.root)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? root.post('/users', { ...complete, username: 'Contended', email: `contender${index}@example.com` })
          : root.post('/groups', { name: 'contended', path: 'contended' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of answers) expect([201, 400, 409]).toContain(status)
    const routes = await forge.app.db.selectFrom('routes').select('path').where('path_key', '=', 'contended').execute()
    expect(routes).toHaveLength(1)
  })

  test('with invalid fields is rejected with a reason for each', async () => {
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    const before = await count()
    for (const [change, message] of [
      [{ password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
      [{ password: 'x'.repeat(129) }, { password: ['is too long (maximum is 128 characters)'] }],
      [{ bio: 'x'.repeat(256) }, { bio: ['is too long (maximum is 255 characters)'] }],
      [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
      [{ email: 'nonsense' }, { email: ['is invalid'] }],
      [{ email: 'two@lines\n.example' }, { email: ['is invalid'] }],
      [{ name: 'Two\nlines' }, { name: ['is invalid'] }],
      [{ username: 'x'.repeat(256) }, { username: ['is too long (maximum is 255 characters)'] }],
      [{ name: ' ' }, { name: ["can't be blank"] }],
      [
        { username: '-x', email: 'a b@c' },
        { username: [format], email: ['is invalid'] },
      ],
      ...['x.', 'a/b', 'ü', 'x.git', 'x.atom', 'a b', 'a..b', '..', 'a\tb', 'a\u0007b'].map(
        (username) => [{ username }, { username: [format] }] as const,
      ),
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

describe('the list of user activities', () => {
  const setSeen = (user: TestUser, last_activity_on: string) =>
    forge.app.db.updateTable('users').set({ last_activity_on }).where('id', '=', user.id).execute()

  test('has the oldest first, since half a year ago or the given day', async () => {
    const [old, older] = [await forge.user(), await forge.user()]
    const recent = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
    await setSeen(old, recent)
    await setSeen(older, '2001-02-03')
    const root = forge.as(forge.root)
    const usual = await root.get('/user/activities?per_page=100')
    expect(usual.status).toBe(200)
    expect(usual.body[0]).toEqual({ username: old.username, last_activity_on: recent, last_activity_at: recent })
    expect(usual.body.map(({ username }: TestUser) => username)).not.toContain(older.username)
    const all = await root.get('/user/activities?from=2001-02-03&per_page=2')
    expect(all.body.map(({ username }: TestUser) => username)).toEqual([older.username, old.username])
    expect((await root.get('/user/activities?from=2001-02-04&per_page=1')).body[0].username).toBe(old.username)
    expect((await root.get('/user/activities?from=2999-01-01')).body).toEqual([])
    for (const from of ['2001-2-3', '2001-02-03T23:59:59Z', '2001-02-3%2000:00']) {
      expect([from, (await root.get(`/user/activities?from=${from}&per_page=1`)).body[0].username]).toEqual([from, older.username])
    }
    for (const from of ['yesterday', '2001-02-30', '2001-2', '2001-13-01', '2001-02-031', '10000-01-01', '2001-02-03x']) {
      const wrong = await root.get(`/user/activities?from=${from}`)
      expect([from, wrong.status, wrong.body]).toEqual([from, 400, { error: 'from is invalid' }])
    }
  })

  test('is for administrators', async () => {
    expect((await forge.as(ada).get('/user/activities')).status).toBe(403)
    expect((await forge.anonymous.get('/user/activities')).status).toBe(401)
  })
})
