/** Signing in with a name and a password of a directory: a real slapd, over plain LDAP, TLS and StartTLS. */
import { createServer } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Browser, browserOf, type Shown } from '../../../../test/support/browser.ts'
import { type Forge, openForge } from '../../../../test/support/forge.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { hasNoSlapd, openDirectory, suffix, type TestDirectory } from '../../../../test/support/servers/slapd.ts'
import { signInByPassword } from '../../../access/users.ts'
import { findByPassword } from '../../../outgoing/identity-providers/directory.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { createUser } from '../users/users.ts'
import { directoryName, followDirectory, signInByLogin } from './provider-sign-in.ts'

const password = 'in the directory'

// Without the Debian package slapd there is no directory to sign in with.
/** With the form of the pages. */
function attempt({ app }: Forge, login: string, secret: string, address = '192.0.2.1') {
  return signInByLogin(app, { login, password: secret, address, by: 'password' })
}

describe.skipIf(hasNoSlapd)('with a directory', () => {
  let directory: TestDirectory
  let forge: Forge

  beforeAll(async () => {
    directory = await openDirectory()
    forge = await openForge({ config: { identity_providers: { openid: [], ldap: directory.config } } })
    for (const uid of ['ada', 'bob', 'eve']) await directory.addPerson(uid, password)
  })

  const signIn = (me: Browser, login: string, secret = password): Promise<Shown> =>
    me.submit('/users/sign_in', '/users/sign_in', { login, password: secret })

  const refused = async (login: string, secret = password) => {
    const me = browserOf(forge.server)
    const answer = await signIn(me, login, secret)
    expect([login, me.cookies.has('_service_session')]).toEqual([login, false])
    return answer
  }

  test('the first sign-in creates an account, and later ones find it by username and by address', async () => {
    const me = browserOf(forge.server)
    expect((await signIn(me, 'ada')).location).toBe('/')
    const made = JSON.parse((await me.get('/api/v4/user')).text)
    const identities = [{ provider: 'ldapmain', extern_uid: `uid=ada,ou=people,${suffix}` }]
    expect(made).toMatchObject({ username: 'ada', name: 'Name of ada', email: 'ada@example.com', identities, state: 'active' })
    for (const login of ['ADA', ' ada ', 'ada@example.com']) {
      const again = browserOf(forge.server)
      await signIn(again, login)
      expect([login, JSON.parse((await again.get('/api/v4/user')).text).id]).toEqual([login, made.id])
    }
    expect((await me.get('/profile/password')).text).toContain('Your password is that of the directory')
    expect((await me.get('/profile/account')).text).toContain('the directory (LDAP)')
  })

  test('git and the password grant take the password, unless passwords are off for git', async () => {
    await signIn(browserOf(forge.server), 'bob')
    const project = await forge.project()
    const path = `//${project.full_path}.git/info/refs?service=git-upload-pack`
    const headers = { authorization: `Basic ${Buffer.from(`bob:${password}`).toString('base64')}` }
    const status = async () => (await forge.anonymous.get(path, { headers })).status
    // Bob is no member: the answer is that there is no such project, not that the password is wrong.
    expect(await status()).toBe(404)
    await writeSettings(forge.app.db, { password_authentication_enabled_for_git: false })
    expect(await status()).toBe(401)
    await writeSettings(forge.app.db, { password_authentication_enabled_for_git: true })
    const granted = await forge.anonymous.post('//oauth/token', { grant_type: 'password', username: 'bob', password })
    expect([granted.status, granted.body.scope]).toEqual([200, 'api'])
  })

  test('a wrong password, an empty one, and a name that nobody has are refused in the same words', async () => {
    const texts = new Set<string>()
    for (const [login, secret] of [
      ['ada', 'wrong'],
      ['ada', ''],
      ['nobody', password],
      ['', password],
      ['a'.repeat(10_000), password],
    ] as const) {
      const { status, text } = await refused(login, secret)
      expect(status).toBe(422)
      texts.add(/class="problems".*?<\/div>/s.exec(text)?.[0] ?? text)
    }
    expect([...texts]).toEqual([expect.stringContaining('Invalid login or password.')])
    for (const [login, secret] of [
      ['ada\0', password],
      ['ada', `${password}\0`],
      ['ada', ''],
    ] as const)
      expect(await findByPassword(directory.config, login, secret)).toBe(null)
  })

  test.each(['*', 'a*', 'ada)(uid=*', '*)(|(uid=*', 'ada)(|(objectClass=*)', '\\61da', 'ada)(&', '(ada)', '*@example.com'])(
    'a name with the syntax of filters is nobody’s: %s',
    async (login) => {
      expect(await findByPassword(directory.config, login, password)).toBe(null)
    },
  )

  test('a name that matches two people is refused', async () => {
    for (const uid of ['one', 'two']) await directory.addPerson(uid, password, { mail: 'shared@example.com' })
    expect(await findByPassword(directory.config, 'shared@example.com', password)).toBe(null)
    expect(await findByPassword(directory.config, 'one', password)).toMatchObject({ username: 'one' })
  })

  test('a person outside of the filter or of the base cannot sign in', async () => {
    await directory.addPerson('left', password, { employeeType: 'disabled' })
    expect(await findByPassword(directory.config, 'left', password)).toBe(null)
    expect(await findByPassword({ ...directory.config, base: `ou=groups,${suffix}` }, 'ada', password)).toBe(null)
  })

  test('an account of the same name or address is not taken over', async () => {
    const root = await forge.app.db.selectFrom('users').select('id').where('username', '=', 'root').executeTakeFirstOrThrow()
    await directory.addPerson('root', password, { mail: 'another-root@example.com' })
    const me = browserOf(forge.server)
    await signIn(me, 'root')
    const made = JSON.parse((await me.get('/api/v4/user')).text)
    expect([made.username, made.id === root.id]).toEqual(['root1', false])

    const owner = await forge.user({ email: 'mine@example.com', password: 'a password of mine' })
    await directory.addPerson('thief', password, { mail: 'mine@example.com' })
    expect((await refused('thief')).text).toContain('There is an account with your email address.')
    // The address is that of the account, so whoever types it with the password of the account is its user.
    expect((await attempt(forge, 'mine@example.com', 'a password of mine'))?.id).toBe(owner.id)
  })

  test('an administrator connects an account with its name in the directory', async () => {
    const dn = await directory.addPerson('old', password, { mail: 'old@elsewhere.example' })
    const user = await createUser(forge.app, { username: 'older', name: 'Old', email: 'old@example.com', confirmed: true })
    await forge.as(forge.root).put(`/users/${user.id}`, { provider: directoryName, extern_uid: dn.toUpperCase().replaceAll(',', ', ') })
    expect((await attempt(forge, 'old', password))?.id).toBe(user.id)
  })

  test('any number of right passwords is allowed', async () => {
    await directory.addPerson('busy', password)
    for (let round = 0; round < 11; round += 1) expect(await attempt(forge, 'busy', password, '192.0.2.9')).not.toBe(null)
  })

  test('ten wrong passwords lock the name', inFullRun('Each costs a hash; the gate counts them for accounts here.'), async () => {
    await directory.addPerson('guessed', password)
    for (let guess = 0; guess < 10; guess += 1) expect(await attempt(forge, 'guessed', `wrong ${guess}`, `198.51.${guess}.1`)).toBe(null)
    await expect(attempt(forge, 'guessed', password, '203.0.113.1')).rejects.toThrow('Too many failed attempts.')
  })

  test('two concurrent first sign-ins create one account', async () => {
    await directory.addPerson('twice', password)
    const [one, other] = await Promise.all([1, 2].map(() => attempt(forge, 'twice', password)))
    expect(one?.id).toBe(other?.id)
  })

  test('a user who returns to the directory can sign in at once; one whom an administrator blocked cannot', async () => {
    const identity = { provider: directoryName, extern_uid: `uid=eve,ou=people,${suffix}` }
    await attempt(forge, 'eve', password)
    expect(await followDirectory(forge.app, identity, false)).toBe(true)
    expect((await signIn(browserOf(forge.server), 'eve')).location).toBe('/')
    const { body } = await forge.as(forge.root).get('/users?username=eve')
    await forge.as(forge.root).post(`/users/${body[0].id}/block`)
    expect((await refused('eve')).text).toContain('Your account has been blocked.')
  })

  test('the connection uses TLS or StartTLS, and accepts certificates of the configured authority only', async () => {
    const secure = { ...directory.config, url: directory.secure_url }
    const upgraded = { ...directory.config, start_tls: true }
    for (const config of [secure, upgraded]) {
      expect(await findByPassword(config, 'ada', password)).toMatchObject({ username: 'ada' })
      await expect(findByPassword({ ...config, ca: null }, 'ada', password)).rejects.toThrow('The directory cannot be asked now.')
    }
  })

  test('a wrong password of the search account is an error of the server, and does not count against the user', async () => {
    const bind = { dn: `cn=search,${suffix}`, password: 'wrong' }
    await expect(findByPassword({ ...directory.config, bind }, 'ada', password)).rejects.toThrow('The directory cannot be asked now.')
  })
})

test('while the directory is down, local passwords work, and everyone else is asked to try again', async () => {
  // This server accepts connections and closes them without an answer.
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const ldap = {
    url: `ldap://127.0.0.1:${port}`,
    start_tls: false,
    ca: null,
    bind: null,
    base: suffix,
    user_filter: '(objectClass=person)',
    attributes: { username: 'uid', name: 'cn', email: 'mail' },
    groups: [],
    group_base: null,
  }
  const forge = await openForge({ config: { identity_providers: { openid: [], ldap } } })
  const user = await forge.user({ password })
  expect((await attempt(forge, user.username, password))?.id).toBe(user.id)
  await expect(attempt(forge, user.username, 'wrong')).rejects.toThrow('The directory cannot be asked now.')
  expect(await signInByPassword(forge.app.db, user.username, 'wrong')).toBe(null)
  server.close()
})
