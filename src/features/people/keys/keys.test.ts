/** SSH keys through the API: whose they are, which ones are taken, and what is said of the others. */
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { dsaLine, ecdsaLine, lineOf, publicKey, rsaLine, securityKeyLine } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { gate, untilOneWaits } from '../../../../test/support/locks.ts'
import { fingerprintsOf, parsePublicKey } from '../../../access/ssh-keys.ts'
import type { Tx } from '../../../db/database.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'
import { findKeyHolder, rewriteAuthorizedKeys } from './keys.service.ts'

let forge: Forge
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[ada, bob] = await Promise.all([forge.user(), forge.user()])
})

afterEach(async () => {
  await forge.app.db.deleteFrom('ssh_keys').execute()
  await forge.app.db.deleteFrom('settings').execute()
})

const add = (user: TestUser, key: unknown, title = 'Laptop') => forge.as(user).post('/user/keys', { title, key })
const allKeys = () => forge.app.db.selectFrom('ssh_keys').selectAll().orderBy('id').execute()
const notFound = { message: '404 Key Not Found' }
const taken = { message: { fingerprint: ['has already been taken'] } }
const parsed = (line: string) => (parsePublicKey(line) as NonNullable<ReturnType<typeof parsePublicKey>>).key

/** Nothing there is changes by the request, which is answered so. */
async function expectRefused(request: () => Promise<{ status: number; body: unknown }>, status: number, body: unknown): Promise<void> {
  const before = await allKeys()
  const answer = await request()
  expect([answer.status, answer.body]).toEqual([status, body])
  expect(await allKeys()).toEqual(before)
}

describe('a user', () => {
  test('adds a key, finds it in the list and by its number, and deletes it', async () => {
    const line = publicKey('ada@laptop, at home')
    const { status, body } = await add(ada, `  ${line}\n`)
    expect([status, body]).toEqual([
      201,
      { id: expect.any(Number), title: 'Laptop', key: line, created_at: expect.stringMatching(/^\d{4}-.*Z$/), last_used_at: null },
    ])
    const client = forge.as(ada)
    expect((await client.get('/user/keys')).body).toEqual([body])
    expect((await client.get(`/user/keys/${body.id}`)).body).toEqual(body)
    const removed = await client.delete(`/user/keys/${body.id}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    await expectRefused(() => client.get(`/user/keys/${body.id}`), 404, notFound)
    await expectRefused(() => client.delete(`/user/keys/${body.id}`), 404, notFound)
  })

  test('cannot see or delete keys of others through /user/keys, not even administrators', async () => {
    const { body: key } = await add(ada, publicKey())
    for (const other of [bob, forge.root]) {
      expect((await forge.as(other).get('/user/keys')).body).toEqual([])
      await expectRefused(() => forge.as(other).get(`/user/keys/${key.id}`), 404, notFound)
      await expectRefused(() => forge.as(other).delete(`/user/keys/${key.id}`), 404, notFound)
    }
  })

  test('reads their keys with a read_user token, which can neither add nor delete any', async () => {
    const { body: key } = await add(ada, publicKey())
    const client = forge.as(ada, { token: await forge.token(ada, { scopes: ['read_user'] }) })
    expect((await client.get('/user/keys')).body).toEqual([key])
    expect((await client.get(`/user/keys/${key.id}`)).body).toEqual(key)
    for (const refused of [
      await client.post('/user/keys', { title: 'x', key: publicKey() }),
      await client.delete(`/user/keys/${key.id}`),
    ]) {
      expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    }
    expect(await allKeys()).toHaveLength(1)
  })

  test('a blocked user adds none, and their keys give no access', async () => {
    const carl = await forge.user()
    const line = publicKey()
    expect((await add(carl, line)).status).toBe(201)
    expect((await findKeyHolder(forge.app, parsed(line)))?.user?.id).toBe(carl.id)
    await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', carl.id).execute()
    expect((await add(carl, publicKey())).status).toBe(403)
    expect(await findKeyHolder(forge.app, parsed(line))).toBeNull()
    expect(await allKeys()).toHaveLength(1)
  })

  test('a key changed after If-Unmodified-Since is not deleted', async () => {
    const { body: key } = await add(ada, publicKey())
    const long_ago = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' } }
    await expectRefused(() => forge.as(ada).delete(`/user/keys/${key.id}`, undefined, long_ago), 412, {
      message: '412 Precondition Failed',
    })
  })
})

describe('an administrator', () => {
  test('adds, lists and deletes keys of others, and gets any key with its fingerprints and its user', async () => {
    const client = forge.as(forge.root)
    const line = publicKey('work')
    const { status, body } = await client.post(`/users/${ada.id}/keys`, { title: 'Work', key: line })
    expect([status, body]).toMatchObject([201, { title: 'Work', key: line }])
    expect((await client.get(`/users/${ada.id}/keys`)).body).toEqual([body])
    expect((await forge.as(ada).get('/user/keys')).body).toEqual([body])
    const found = await client.get(`/keys/${body.id}`)
    const { sha256, md5 } = fingerprintsOf(parsed(line).blob)
    expect([found.status, found.body]).toEqual([
      200,
      {
        ...body,
        fingerprint: md5,
        fingerprint_sha256: `SHA256:${sha256}`,
        user: expect.objectContaining({ id: ada.id, username: ada.username, email: ada.email, identities: [] }),
      },
    ])
    expect(found.body.user).not.toHaveProperty('is_admin')
    expect((await client.delete(`/users/${ada.id}/keys/${body.id}`)).status).toBe(204)
    expect(await allKeys()).toEqual([])
  })

  test('finds a key of any kind by its fingerprint, in each form', async () => {
    const client = forge.as(forge.root)
    const line = publicKey('found')
    const { body: key } = await add(ada, line)
    const { sha256, md5 } = fingerprintsOf(parsed(line).blob)
    const find = (fingerprint: string) => client.get(`/keys?fingerprint=${encodeURIComponent(fingerprint)}`)
    for (const form of [
      `SHA256:${sha256}`,
      `SHA256:${sha256.replaceAll('+', ' ')}`,
      `SHA256:${sha256}=`,
      md5,
      `MD5:${md5}`,
      md5.toUpperCase(),
    ]) {
      const { status, body } = await find(form)
      expect([form, status, body.id, body.user.id]).toEqual([form, 200, key.id, ada.id])
    }
    const project = await forge.project({ owner: ada, files: null })
    const deploy = publicKey('deploy')
    await forge.as(ada).post(`/projects/${project.id}/deploy_keys`, { title: 'Machine', key: deploy })
    expect((await find(fingerprintsOf(parsed(deploy).blob).md5)).body).toMatchObject({ title: 'Machine', user: { id: ada.id } })
    const unknown = fingerprintsOf(parsed(publicKey('unknown')).blob)
    for (const form of [unknown.md5, `SHA256:${unknown.sha256}`])
      await expectRefused(() => find(form), 404, { message: '404 Key Not Found' })
    for (const wrong of ['', 'x', sha256, `SHA256:${sha256}x`, `SHA1:${sha256}`, md5.slice(2), `${md5}:00`, `${md5}\u0007`])
      await expectRefused(() => find(wrong), 400, { error: 'fingerprint is invalid' })
    await expectRefused(() => client.get('/keys'), 400, { error: 'fingerprint is missing' })
    await expectRefused(() => forge.as(ada).get(`/keys?fingerprint=${md5}`), 403, { message: '403 Forbidden' })
    await client.delete(`/users/${ada.id}/keys/${key.id}`)
  })

  test('finds a key below its own user only', async () => {
    const { body: key } = await add(ada, publicKey())
    const client = forge.as(forge.root)
    await expectRefused(() => client.delete(`/users/${bob.id}/keys/${key.id}`), 404, notFound)
    await expectRefused(() => client.get(`/users/${bob.id}/keys/${key.id}`), 404, notFound)
    expect((await client.get(`/users/${ada.id}/keys/${key.id}`)).body).toEqual(key)
    await expectRefused(() => client.get(`/users/${ada.id}/keys/x`), 400, { error: 'key_id is invalid' })
    await expectRefused(() => client.delete(`/users/999999/keys/${key.id}`), 404, { message: '404 User Not Found' })
    await expectRefused(() => client.get('/users/999999/keys'), 404, { message: '404 User Not Found' })
    await expectRefused(() => client.post('/users/999999/keys', { title: 'x', key: publicKey() }), 404, {
      message: '404 User Not Found',
    })
    await expectRefused(() => client.get('/keys/999999'), 404, { message: '404 Not found' })
  })

  test('is required for keys by user id, one’s own included', async () => {
    const { body: key } = await add(ada, publicKey())
    const requests: Array<[string, string, unknown?]> = [
      ['GET', `/users/${ada.id}/keys`],
      ['POST', `/users/${ada.id}/keys`, { title: 'x', key: publicKey() }],
      ['DELETE', `/users/${ada.id}/keys/${key.id}`],
      ['GET', `/keys/${key.id}`],
    ]
    for (const [method, path, body] of requests) {
      for (const user of [ada, bob]) {
        await expectRefused(() => forge.as(user).request(method, path, body), 403, { message: '403 Forbidden' })
      }
      await expectRefused(() => forge.anonymous.request(method, path, body), 401, { message: '401 Unauthorized' })
    }
  })
})

test('impossible ids are rejected before any lookup', async () => {
  const client = forge.as(forge.root)
  for (const id of ['0', '-1', '1.5', 'abc', '99999999999999999999999', '1%20or%201=1', '%2F1']) {
    for (const path of [`/user/keys/${id}`, `/users/${ada.id}/keys/${id}`]) {
      const { status, body } = await client.delete(path)
      expect([path, status, body]).toEqual([
        path,
        400,
        { error: expect.stringMatching(/^key_id (is invalid|does not have a valid value)$/) },
      ])
    }
    expect((await client.get(`/keys/${id}`)).status).toBe(400)
  }
  expect((await client.get(`/keys/${Number.MAX_SAFE_INTEGER}`)).status).toBe(404)
})

describe('a key', () => {
  test('of each common type is accepted, security keys included', async () => {
    const lines = [publicKey(), ecdsaLine(256), ecdsaLine(384), ecdsaLine(521), rsaLine(2048), rsaLine(4096)]
    for (const line of [...lines, securityKeyLine('ed25519'), securityKeyLine('ecdsa')]) {
      expect([line, (await add(ada, line)).body]).toEqual([line, expect.objectContaining({ key: line })])
      expect((await findKeyHolder(forge.app, parsed(line)))?.key.type).toBe(line.split(' ')[0])
    }
  })

  test('that exists already is rejected for everybody, whatever its comment', async () => {
    const line = publicKey()
    const project = await forge.project({ maintainer: ada })
    const deployed = publicKey()
    await add(ada, `${line} laptop`)
    expect((await forge.as(ada).post(`/projects/${project.id}/deploy_keys`, { title: 'x', key: deployed })).status).toBe(201)
    for (const key of [line, `${line} another comment`, deployed]) {
      for (const user of [ada, bob]) await expectRefused(() => add(user, key), 400, taken)
      await expectRefused(() => forge.as(forge.root).post(`/users/${bob.id}/keys`, { title: 'x', key }), 400, taken)
    }
  })

  test('added by two at the same time belongs to one', async () => {
    const line = publicKey()
    const answers = await Promise.all([ada, bob, ada, bob].map((user) => add(user, line)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    for (const { body } of answers.filter(({ status }) => status === 400)) expect(body).toEqual(taken)
    expect(await allKeys()).toHaveLength(1)
  })

  const whole = publicKey()
  const [type = '', base64 = ''] = whole.split(' ')
  const { privateKey } = generateKeyPairSync('ed25519')
  const oneLine = 'is invalid. It must be a single line'
  const noKey = 'is invalid. Send the whole line of a public key, such as ssh-ed25519 AAAA… comment'
  test.each([
    ['garbage', 'something', noKey],
    ['only a type', 'ssh-ed25519', noKey],
    ['only the key without its type', base64, noKey],
    ['cut short', `${type} ${base64.slice(0, -8)}`, noKey],
    ['longer than it says', `${type} ${Buffer.concat([Buffer.from(base64, 'base64'), Buffer.alloc(3)]).toString('base64')}`, noKey],
    ['another type than it says', `ssh-rsa ${base64}`, noKey],
    ['of a type nobody knows', lineOf('ssh-quantum', Buffer.from('x')), noKey],
    ['not base64', `${type} ${base64.replace('AAAA', '****')}`, noKey],
    ['no point of its curve', ecdsaLine(256).replace(/.{20}$/, 'A'.repeat(20)), noKey],
    ['with options before it', `command="sh",no-pty ${whole}`, noKey],
    ['with a host before it', `example.com ${whole}`, noKey],
    ['of two lines', `${whole}\n${publicKey()}`, oneLine],
    ['broken into lines', whole.replace(/(.{30})/, '$1\n'), oneLine],
    ['with a line break in its comment', `${whole} a\r\ncommand="sh" ${whole}`, oneLine],
    ['with an escape in its comment', `${whole} \u001b[2J`, oneLine],
    [
      'a certificate',
      lineOf('ssh-ed25519-cert-v01@openssh.com', Buffer.from('x')),
      'is invalid. This is a certificate; send the public key itself',
    ],
    [
      'of another program',
      `---- BEGIN SSH2 PUBLIC KEY ----\n${base64}\n---- END SSH2 PUBLIC KEY ----`,
      'is invalid. Send it in the form of OpenSSH: ssh-keygen -i -f FILE',
    ],
    [
      'private',
      privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      'is invalid. This is a private key, which should never leave its machine; send the file ending in .pub',
    ],
    ['of nothing but spaces', '  ', "can't be blank"],
    ['too long', `${whole} ${'x'.repeat(5_000)}`, 'is too long (maximum is 5000 characters)'],
    ['of a megabyte', `ssh-rsa ${'A'.repeat(1_000_000)}`, 'is too long (maximum is 5000 characters)'],
  ])('that is %s is refused in words that help', async (_, key, fieldError) => {
    await expectRefused(() => add(ada, key), 400, { message: { key: [fieldError], fingerprint: ['cannot be generated'] } })
  })

  test('beyond the size limit is not read', async () => {
    const { status } = await add(ada, `ssh-rsa ${'A'.repeat(2_000_000)}`)
    expect([status, await allKeys()]).toEqual([413, []])
  })

  test('that is too weak or too large is rejected', async () => {
    const types = 'type is forbidden. Must be RSA, ECDSA, or ED25519'
    await expectRefused(() => add(ada, dsaLine(1024)), 400, { message: { key: [types] } })
    await expectRefused(() => add(ada, dsaLine(2048)), 400, { message: { key: [types] } })
    await expectRefused(() => add(ada, rsaLine(1023)), 400, { message: { key: ['must be at least 1024 bits'] } })
    await expectRefused(() => add(ada, rsaLine(16_385)), 400, { message: { key: ['must be at most 16384 bits'] } })
    expect((await add(ada, rsaLine(1024))).status).toBe(201)
    expect((await add(ada, rsaLine(16_384))).status).toBe(201)
  })

  test('needs a title of 1 to 255 characters, and both parameters as text', async () => {
    const key = publicKey()
    for (const [sent, body] of [
      [{ key }, { error: 'title is missing' }],
      [{ title: 'x' }, { error: 'key is missing' }],
      [{}, { error: 'title is missing, key is missing' }],
      [{ title: ['x'], key }, { error: 'title is invalid' }],
      [{ title: 'x', key: { type: 'ssh-rsa' } }, { error: 'key is invalid' }],
      [{ title: ' ', key }, { message: { title: ["can't be blank"] } }],
      [{ title: 'x'.repeat(256), key }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
      [{ title: 'a\nb', key }, { message: { title: ['is invalid'] } }],
    ]) {
      await expectRefused(() => forge.as(ada).post('/user/keys', sent), 400, body)
    }
    expect((await add(ada, key, 'x'.repeat(255))).status).toBe(201)
  })
})

describe('a restriction of the instance', () => {
  const restrict = (restriction: object) => forge.as(forge.root).put('/application/settings', restriction)

  test.each([
    ['rsa', -1, () => rsaLine(4096), 'type is forbidden. Must be ECDSA or ED25519'],
    ['rsa', 3072, () => rsaLine(2048), 'must be at least 3072 bits'],
    ['ecdsa', -1, () => ecdsaLine(), 'type is forbidden. Must be RSA or ED25519'],
    ['ecdsa', 384, () => ecdsaLine(256), 'must be at least 384 bits'],
    ['ecdsa', 384, () => securityKeyLine('ecdsa'), 'must be at least 384 bits'],
    ['ed25519', -1, () => publicKey(), 'type is forbidden. Must be RSA or ECDSA'],
    ['ed25519', -1, () => securityKeyLine('ed25519'), 'type is forbidden. Must be RSA or ECDSA'],
  ] as const)(
    'on %s of %i holds for what is added, and for what was there before, until it is lifted',
    async (family, value, make, fieldError) => {
      const early = make()
      expect((await add(ada, early)).status).toBe(201)
      expect((await restrict({ [`${family}_key_restriction`]: value })).status).toBe(200)
      await expectRefused(() => add(ada, make()), 400, { message: { key: [fieldError] } })
      expect(await findKeyHolder(forge.app, parsed(early))).toBeNull()
      await restrict({ [`${family}_key_restriction`]: 0 })
      expect((await findKeyHolder(forge.app, parsed(early)))?.user?.id).toBe(ada.id)
    },
  )

  test('on DSA has no effect: DSA is always refused', async () => {
    await restrict({ dsa_key_restriction: 1024 })
    expect((await add(ada, dsaLine(1024))).status).toBe(400)
  })

  test('on all types prevents adding keys', async () => {
    await writeSettings(forge.app.db, { rsa_key_restriction: -1, ecdsa_key_restriction: -1, ed25519_key_restriction: -1 })
    await expectRefused(() => add(ada, publicKey()), 400, { message: { key: ['type is forbidden. No keys are allowed'] } })
  })
})

describe.runIf(engine === 'postgres')('transactions that change which keys there are', () => {
  /** Begins a transaction with `lock`, lets `work` run against it, and has it end as all of them do. Throws where one was undone. */
  async function against(lock: (tx: Tx) => Promise<unknown>, work: () => Promise<{ status: number }>): Promise<number> {
    const [locked, released] = [gate(), gate()]
    const holding = forge.app.db.transaction().execute(async (tx) => {
      await lock(tx)
      locked.open()
      await released.isOpen
      await rewriteAuthorizedKeys(tx)
    })
    await locked.isOpen
    const answer = work()
    await untilOneWaits(forge.app.db)
    // Only whoever begins to wait looks for a deadlock, once, after a second.
    await setTimeout(1_200)
    released.open()
    await holding
    return (await answer).status
  }

  test('never wait for each other: a user is deleted while their key is removed', async () => {
    const user = await forge.user()
    const { id } = (await add(user, publicKey())).body
    await forge.drain()
    const remove = (tx: Tx) => tx.deleteFrom('ssh_keys').where('id', '=', id).execute()
    expect(await against(remove, () => forge.as(forge.root).delete(`/users/${user.id}`))).toBe(204)
  })

  test('never wait for each other: a user is deleted while a deploy key they made is removed', async () => {
    const user = await forge.user()
    const project = await forge.project({ maintainer: user })
    const { id } = (await forge.as(user).post(`/projects/${project.id}/deploy_keys`, { title: 'CI', key: publicKey() })).body
    await forge.drain()
    const remove = (tx: Tx) => tx.deleteFrom('ssh_keys').where('id', '=', id).execute()
    expect(await against(remove, () => forge.as(forge.root).delete(`/users/${user.id}`))).toBe(204)
  })

  test('never wait for each other: a key is added while its user, or the project it is for, is changed', async () => {
    const user = await forge.user()
    const project = await forge.project({ maintainer: user })
    await forge.drain()
    const lockUser = (tx: Tx) => tx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
    expect(await against(lockUser, () => add(user, publicKey()))).toBe(201)
    await forge.drain()
    const lockProject = (tx: Tx) => tx.selectFrom('projects').select('id').where('id', '=', project.id).forUpdate().execute()
    const addToProject = () => forge.as(user).post(`/projects/${project.id}/deploy_keys`, { title: 'CI', key: publicKey() })
    expect(await against(lockProject, addToProject)).toBe(201)
  })
})
