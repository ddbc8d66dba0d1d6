/** Changing and blocking users: what follows from a change, what is refused, and that the service keeps an administrator. */
import { beforeAll, describe, expect, test } from 'vitest'
import { onePixel } from '../../../../test/support/fixtures/images.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { asForm } from '../../../../test/support/form.ts'
import { tryGit } from '../../../../test/support/git.ts'
import { passwordMatches } from '../../../access/passwords/passwords.ts'
import { parsePublicKey } from '../../../access/ssh-keys.ts'
import { signIn } from '../../../access/users.ts'
import { findKeyHolder } from '../keys/keys.service.ts'

let forge: Forge

beforeAll(async () => {
  forge = await testForge()
})

const root = () => forge.as(forge.root)
const put = (user: TestUser, change: object) => root().put(`/users/${user.id}`, change)
const rowOf = ({ id }: { id: number }) => forge.app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const addressesOf = ({ id }: TestUser) =>
  forge.app.db.selectFrom('emails').select(['email', 'is_primary']).where('user_id', '=', id).orderBy('id').execute()

describe('changing a user', () => {
  test('sets what is sent and leaves the rest', async () => {
    const user = await forge.user({ bio: 'Before', location: 'Here' })
    const change = {
      name: 'Another Name',
      skype: 's',
      linkedin: 'l',
      twitter: 't',
      website_url: 'https://example.com',
      organization: 'O',
      projects_limit: 3,
      bio: '',
      admin: true,
      can_create_group: false,
      private_profile: true,
    }
    const { status, body } = await put(user, change)
    const { admin, ...shown } = change
    expect([status, body]).toMatchObject([200, { ...shown, is_admin: admin, location: 'Here', username: user.username }])
    expect(body).toEqual((await root().get(`/users/${user.id}`)).body)
    expect((await put(user, { admin: false, location: null, private_profile: 'false' })).body).toMatchObject({
      is_admin: false,
      location: null,
      private_profile: false,
      organization: 'O',
    })
    expect((await put(user, {})).body).toMatchObject({ name: 'Another Name', projects_limit: 3 })
    expect((await put(user, { organization: null })).body.organization).toBe('')
  })

  test('sets what the user does, and an address for everybody to see that is confirmed to be theirs', async () => {
    const [user, other] = [await forge.user(), await forge.user()]
    const { body: second } = await root().post(`/users/${user.id}/emails`, { email: 'Shown@example.com', skip_confirmation: true })
    const change = { job_title: 'Librarian', pronouns: 'she/her', organization: 'The Library', public_email: 'shown@EXAMPLE.com' }
    const profile = { ...change, public_email: 'shown@example.com', work_information: 'Librarian at The Library' }
    expect((await put(user, change)).body).toMatchObject(profile)
    expect((await forge.as(other).get(`/users/${user.id}`)).body).toMatchObject(profile)
    expect((await put(user, { organization: null })).body.work_information).toBe('Librarian')
    await root().post(`/users/${user.id}/emails`, { email: 'unconfirmed@example.com' })
    for (const email of ['unconfirmed@example.com', `${other.username}@example.com`, 'nobody@example.com']) {
      const { status, body } = await put(user, { public_email: email })
      expect([email, status, body]).toEqual([email, 400, { message: { public_email: ['is not a confirmed address of the user'] } }])
    }
    await root().delete(`/users/${user.id}/emails/${second.id}`)
    expect((await root().get(`/users/${user.id}`)).body.public_email).toBe('')
    expect((await put(user, { public_email: `${user.username}@example.com` })).status).toBe(200)
    expect((await put(user, { public_email: '' })).body.public_email).toBe('')
  })

  test('is for administrators, and changes nothing for others', async () => {
    const user = await forge.user()
    for (const [client, status] of [
      [forge.as(user), 403],
      [forge.anonymous, 401],
    ] as const) {
      expect((await client.put(`/users/${user.id}`, { name: 'Mine', admin: true })).status).toBe(status)
    }
    expect(await rowOf(user)).toMatchObject({ name: user.name, admin: false })
  })

  test('a user who is not there is not found', async () => {
    const { status, body } = await root().put('/users/999999', { name: 'x' })
    expect([status, body]).toEqual([404, { message: '404 User Not Found' }])
  })

  test('a password set by an administrator works at once and must be replaced at the next sign-in, the administrator’s own too', async () => {
    const user = await forge.user({ password: 'the first one' })
    const answer = await put(user, { password: 'the second one' })
    expect([answer.status, answer.text.includes('second')]).toEqual([200, false])
    const { password_hash, password_expires_at } = await rowOf(user)
    expect(await passwordMatches(password_hash, 'the second one')).toBe(true)
    expect(await passwordMatches(password_hash, 'the first one')).toBe(false)
    expect(Date.parse(password_expires_at ?? '')).toBeLessThanOrEqual(Date.now())
    const administrator = await forge.user({ admin: true })
    expect((await forge.as(administrator).put(`/users/${administrator.id}`, { password: 'of my own' })).status).toBe(200)
    expect((await rowOf(administrator)).password_expires_at).not.toBeNull()
    expect((await put(user, { password: '', bio: 'x' })).status).toBe(200)
    expect((await rowOf(user)).password_hash).toBe(password_hash)
  })

  test('a new address waits to be confirmed; until then the one before counts', async () => {
    const user = await forge.user()
    const waiting = `waiting-${user.username}@example.com`
    const { status, body } = await put(user, { email: waiting })
    expect([status, body.email]).toEqual([200, user.email])
    expect(await rowOf(user)).toMatchObject({ email: user.email, unconfirmed_email: waiting })
    expect(await addressesOf(user)).toEqual([{ email: user.email, is_primary: true }])
  })

  test('a new address counts at once with skip_reconfirmation, or when confirmed already; the one before becomes secondary', async () => {
    const user = await forge.user({ password: 'a long password' })
    const [second, third] = [`second-${user.username}@example.com`, `third-${user.username}@example.com`]
    expect((await put(user, { email: ` ${second.toUpperCase()} `, skip_reconfirmation: true })).body.email).toBe(second)
    expect(await addressesOf(user)).toEqual([
      { email: user.email, is_primary: false },
      { email: second, is_primary: true },
    ])
    await root().post(`/users/${user.id}/emails`, { email: third, skip_confirmation: true })
    expect((await put(user, { email: third })).body.email).toBe(third)
    expect(await addressesOf(user)).toEqual([
      { email: user.email, is_primary: false },
      { email: second, is_primary: false },
      { email: third, is_primary: true },
    ])
    expect((await signIn(forge.app.db, third, 'a long password'))?.user.id).toBe(user.id)
    expect(await signIn(forge.app.db, second, 'a long password')).toBeNull()
    expect((await put(user, { email: third.toUpperCase() })).body.email).toBe(third)
  })

  test('an email made primary and deleted at the same moment: one happens, and the user keeps a primary email', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => forge.user()))
    const second = (user: TestUser) => `second-${user.username}@example.com`
    const added = await Promise.all(
      users.map((user) => root().post(`/users/${user.id}/emails`, { email: second(user), skip_confirmation: true })),
    )
    await Promise.all(
      users.flatMap((user, index) => [
        put(user, { email: second(user) }),
        root().delete(`/users/${user.id}/emails/${added[index]?.body.id}`),
      ]),
    )
    for (const user of users) {
      const { email } = await rowOf(user)
      expect([user.email, second(user)]).toContain(email)
      expect((await addressesOf(user)).filter(({ is_primary }) => is_primary)).toEqual([{ email, is_primary: true }])
    }
  })

  test('a new username moves the user’s namespace, and frees the old name', async () => {
    const user = await forge.user({ username: 'before' })
    const project = await forge.project({ owner: user, path: 'kept' })
    const { status, body } = await put(user, { username: 'After' })
    expect([status, body.username, body.web_url]).toEqual([200, 'After', 'http://gitstead.test/After'])
    const moved = await forge.as(user).get(`/projects/${project.id}`)
    expect(moved.body).toMatchObject({ path_with_namespace: 'After/kept', namespace: { path: 'After', full_path: 'After' } })
    expect((await forge.as(user).get('/projects/after%2Fkept')).body.id).toBe(project.id)
    expect((await forge.as(user).get('/projects/before%2Fkept')).status).toBe(404)
    expect((await put(user, { username: 'AFTER' })).body.username).toBe('AFTER')
    expect((await forge.as(user).get('/projects/after%2Fkept')).body.path_with_namespace).toBe('AFTER/kept')
    expect((await forge.user({ username: 'before', email: 'next@example.com' })).username).toBe('before')
  })

  test('a new identity replaces the one of the same provider; an identity of somebody else is rejected', async () => {
    const user = await forge.user({ provider: 'ldap', extern_uid: 'one' })
    const other = await forge.user()
    expect((await put(user, { provider: 'ldap', extern_uid: 'two' })).body.identities).toEqual([{ provider: 'ldap', extern_uid: 'two' }])
    expect((await put(user, { provider: 'saml', extern_uid: 'x' })).body.identities).toEqual([
      { provider: 'ldap', extern_uid: 'two' },
      { provider: 'saml', extern_uid: 'x' },
    ])
    const taken = await put(other, { provider: 'ldap', extern_uid: 'two', name: 'Not this' })
    expect([taken.status, taken.body]).toEqual([404, { message: 'Identity has already been taken' }])
    expect((await put(other, { provider: 'ldap', extern_uid: 'one' })).status).toBe(200)
    const half = await put(other, { provider: 'ldap' })
    expect([half.status, half.body]).toEqual([400, { error: 'extern_uid, provider provide all or none of parameters' }])
    expect((await rowOf(other)).name).toBe(other.name)
  })

  test('an external user creates no projects or groups, and has the usual rights again afterwards', async () => {
    const user = await forge.user()
    expect((await put(user, { external: true, projects_limit: 7 })).body).toMatchObject({
      external: true,
      can_create_group: false,
      can_create_project: false,
      projects_limit: 0,
    })
    expect((await put(user, { projects_limit: 2 })).body).toMatchObject({ external: true, projects_limit: 2, can_create_project: true })
    expect((await put(user, { external: false })).body).toMatchObject({
      external: false,
      can_create_group: true,
      projects_limit: 100_000,
    })
  })

  test('a taken name or address is rejected with 404 and the reason, ignoring case, and nothing is changed', async () => {
    const user = await forge.user()
    const other = await forge.user()
    const group = await forge.group()
    await root().post(`/users/${other.id}/emails`, { email: `more-${other.username}@example.com` })
    for (const [change, message] of [
      [{ email: other.email.toUpperCase() }, 'Email has already been taken'],
      [{ email: other.email, skip_reconfirmation: true }, 'Email has already been taken'],
      [{ email: `more-${other.username}@example.com`, skip_reconfirmation: true }, 'Email has already been taken'],
      [{ username: other.username.toUpperCase() }, 'Username has already been taken'],
      [{ username: group.path }, 'Username has already been taken'],
    ] as const) {
      const { status, body } = await put(user, { name: 'Not this', ...change })
      expect([change, status, body]).toEqual([change, 404, { message }])
    }
    expect(await rowOf(user)).toMatchObject({ name: user.name, username: user.username, email: user.email, unconfirmed_email: null })
  })

  test('fields that cannot be are refused with the reason for each, and nothing of the change is kept', async () => {
    const user = await forge.user({ password: 'a long password' })
    const { password_hash } = await rowOf(user)
    const format = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
    const change = { password: 'pass', email: 'no address', username: 'test!', name: ' ', bio: 'g'.repeat(256), projects_limit: -1 }
    const { status, body } = await put(user, change)
    expect([status, body]).toEqual([
      400,
      {
        message: {
          username: [format],
          email: ['is invalid'],
          name: ["can't be blank"],
          bio: ['is too long (maximum is 255 characters)'],
          password: ['is too short (minimum is 8 characters)'],
          projects_limit: ['must be greater than or equal to 0'],
        },
      },
    ])
    for (const wrong of [{ projects_limit: 'many' }, { admin: 'maybe' }, { name: ['a'] }, { username: { a: 1 } }, { avatar: 'x' }]) {
      const answer = await put(user, wrong)
      expect([wrong, answer.status, answer.body]).toEqual([wrong, 400, { error: `${Object.keys(wrong)[0]} is invalid` }])
    }
    for (const [wrong, fieldError] of [
      [{ name: 'Two\nlines' }, { name: ['is invalid'] }],
      [{ email: 'a@b\u0007' }, { email: ['is invalid'] }],
      [{ username: 'a\tb' }, { username: [format] }],
      [{ username: 'a..b' }, { username: [format] }],
      [{ username: 'dashboard' }, { username: ['dashboard is a reserved name'] }],
      [{ username: 'x'.repeat(256) }, { username: ['is too long (maximum is 255 characters)'] }],
    ] as const) {
      const answer = await put(user, wrong)
      expect([wrong, answer.status, answer.body]).toEqual([wrong, 400, { message: fieldError }])
    }
    expect(await rowOf(user)).toMatchObject({ name: user.name, username: user.username, email: user.email, password_hash })
  })

  test('an avatar is set, replaced and removed, alone or with other fields', async () => {
    const user = await forge.user()
    const send = (fields: Record<string, unknown>) => {
      const { payload, headers } = asForm(fields, { avatar: 'my face.png' })
      return root().put(`/users/${user.id}`, payload, { headers })
    }
    const { status, body } = await send({ avatar: onePixel, bio: 'With a face' })
    const address = `http://gitstead.test/uploads/-/system/user/avatar/${user.id}/my_face.png`
    expect([status, body.avatar_url, body.bio]).toEqual([200, address, 'With a face'])
    const shown = await forge.anonymous.get(address.replace('http://gitstead.test', '/'))
    expect([shown.status, shown.headers['content-type'], shown.bytes]).toEqual([200, 'image/png', onePixel])
    const { avatar_key } = await rowOf(user)
    await send({ avatar: onePixel })
    const again = await rowOf(user)
    expect(again.avatar_key).not.toBe(avatar_key)
    expect((await put(user, { avatar: '' })).body.avatar_url).toMatch(/\/identicon\.v1\.png$/)
    const waiting = await forge.app.db.selectFrom('unreferenced_objects').select('key').execute()
    expect(waiting.map(({ key }) => key)).toEqual(expect.arrayContaining([avatar_key, again.avatar_key]))
  })
})

describe('an administrator', () => {
  test('always remains: of all demoted, blocked and deleted at once one stays', async () => {
    const administrators = await forge.app.db.selectFrom('users').select('id').where('admin', '=', true).where('id', '!=', 1).execute()
    await Promise.all(administrators.map(({ id }) => root().put(`/users/${id}`, { admin: false })))
    const others = await Promise.all(Array.from({ length: 5 }, () => forge.user({ admin: true })))
    const all = [forge.root, ...others]
    const clients = all.map((user) => forge.as(user))
    // Administrators that are left demote themselves.
    const answers = await Promise.all(
      all.map(({ id }, index) => {
        const client = clients[index] as (typeof clients)[number]
        if (index % 3 === 0) return client.put(`/users/${id}`, { admin: false })
        return index % 3 === 1 ? client.post(`/users/${id}/block`) : client.delete(`/users/${id}`)
      }),
    )
    const left = await forge.app.db.selectFrom('users').select('id').where('admin', '=', true).where('state', '=', 'active').execute()
    expect(left).toHaveLength(1)
    const refused = answers.filter(({ status }) => status >= 400)
    expect(refused.map(({ status, body }) => [status, body])).toEqual([
      [403, { message: '403 Forbidden - The last administrator has to remain one' }],
    ])
    await forge.app.db.updateTable('users').set({ admin: true, state: 'active' }).where('id', '=', 1).execute()
  })

  test('the last administrator can change everything else of their account', async () => {
    await forge.app.db.updateTable('users').set({ admin: false }).where('id', '!=', 1).execute()
    expect((await root().put('/users/1', { bio: 'Still here', admin: true })).status).toBe(200)
    for (const answer of [
      await root().put('/users/1', { bio: 'Gone', admin: false }),
      await root().post('/users/1/block'),
      await root().delete('/users/1?hard_delete=true'),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden - The last administrator has to remain one' }])
    }
    expect(await rowOf(forge.root)).toMatchObject({ bio: 'Still here', admin: true, state: 'active' })
  })
})

describe('blocking a user', () => {
  test('denies API, password, page and SSH authentication, and unblocking allows them again', async () => {
    const user = await forge.user({ password: 'a long password' })
    const project = await forge.project({ developer: user })
    const key = publicKey()
    await forge.as(user).post('/user/keys', { title: 'Laptop', key })
    const parsed = parsePublicKey(key)
    if (!parsed) throw new Error('not a key')
    const outcomes = async () => [
      (await forge.as(user).get('/user')).status,
      (await forge.as(forge.root, { headers: { sudo: user.username } }).get('/user')).status,
      (await findKeyHolder(forge.app, parsed.key))?.user?.id ?? null,
      (await tryGit(await forge.folder(), 'ls-remote', await forge.remote(project, user))).code,
      (await tryGit(await forge.folder(), 'ls-remote', await forge.remote(project, { ...user, token: 'a%20long%20password' }))).code,
    ]
    expect(await outcomes()).toEqual([200, 200, user.id, 0, 0])
    expect((await root().post(`/users/${user.id}/block`)).body).toBe(true)
    expect(await outcomes()).toEqual([403, 403, null, 128, 128])
    expect((await root().get(`/users/${user.id}`)).body.state).toBe('blocked')
    expect((await root().post(`/users/${user.id}/unblock`)).body).toBe(true)
    expect(await outcomes()).toEqual([200, 200, user.id, 0, 0])
  })

  test('says with 201 whether anything changed, and is for administrators', async () => {
    const user = await forge.user()
    const said = []
    for (const what of ['unblock', 'block', 'block', 'unblock']) {
      const { status, body } = await root().post(`/users/${user.id}/${what}`)
      said.push([status, body])
    }
    expect(said).toEqual([
      [201, false],
      [201, true],
      [201, false],
      [201, true],
    ])
    for (const what of ['block', 'unblock']) {
      expect((await forge.as(user).post(`/users/${user.id}/${what}`)).status).toBe(403)
      const missing = await root().post(`/users/999999/${what}`)
      expect([missing.status, missing.body]).toEqual([404, { message: '404 User Not Found' }])
    }
    expect((await rowOf(user)).state).toBe('active')
  })
})
