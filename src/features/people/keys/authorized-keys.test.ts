/** The authorized_keys file: what stands in it, when it changes, and that nobody writes into it but we. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { publicKey, rsaLine } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { authorizedKeyLine, quoteForShell } from './authorized-keys.ts'
import { authorizedKeysJob } from './keys.jobs.ts'

let forge: Forge
let ada: TestUser
let file: string

beforeAll(async () => {
  forge = await testForge()
  ada = await forge.user()
  file = forge.app.config.authorized_keys
  await forge.drain()
})

beforeEach(() => forge.drain())

afterEach(async () => {
  await forge.app.db.deleteFrom('ssh_keys').execute()
  await forge.app.db.deleteFrom('settings').execute()
})

const add = async (key: string) => (await forge.as(ada).post('/user/keys', { title: 'Laptop', key })).body
const lines = async () => (await readFile(file, 'utf8')).trimEnd().split('\n').slice(1)
const set = (change: object) => forge.as(forge.root).put('/application/settings', change)

/** Each key of the file with the number it is served under. */
async function keysInFile(): Promise<Array<[string, string]>> {
  await forge.drain()
  return (await lines()).map((line) => {
    const [, id, key = ''] = /^command="env GITSTEAD_HOME=\S+ .* shell key-(\d+)",restrict (\S+ \S+) key-\d+$/.exec(line) ?? []
    return [id ?? line, key]
  })
}

test('it follows the keys of users and projects', async () => {
  const project = await forge.project({ maintainer: ada, files: null })
  const [one, two] = [publicKey(), rsaLine(2048)]
  const own = await add(`${one} ada`)
  const { body: deployed } = await forge.as(ada).post(`/projects/${project.id}/deploy_keys`, { title: 'x', key: two })
  expect(await keysInFile()).toEqual([
    [String(own.id), one],
    [String(deployed.id), two],
  ])
  await forge.as(ada).delete(`/projects/${project.id}/deploy_keys/${deployed.id}`)
  expect(await keysInFile()).toEqual([[String(own.id), one]])
  await forge.as(ada).delete(`/user/keys/${own.id}`)
  expect(await keysInFile()).toEqual([])
})

test('comments of keys do not get into it', async () => {
  await add(`${publicKey()} x",command="sh" ${publicKey()}`)
  await forge.drain()
  const text = await readFile(file, 'utf8')
  expect(text.match(/command=/g)).toHaveLength(1)
  expect(text).not.toContain('"sh"')
})

test('keys that the settings forbid are not in it, and come back when they are allowed', async () => {
  const { id } = await add(rsaLine(2048))
  await set({ rsa_key_restriction: 4096 })
  expect(await keysInFile()).toEqual([])
  await set({ rsa_key_restriction: 2048 })
  expect((await keysInFile()).map(([number]) => number)).toEqual([String(id)])
})

test('it is gone while it is turned off, and whole when it is turned on again', async () => {
  const { id } = await add(publicKey())
  expect((await set({ authorized_keys_enabled: false })).body.authorized_keys_enabled).toBe(false)
  await forge.drain()
  await expect(stat(file)).rejects.toThrow('ENOENT')
  await add(publicKey())
  await forge.drain()
  await expect(stat(file)).rejects.toThrow('ENOENT')
  await set({ authorized_keys_enabled: true })
  expect((await keysInFile()).map(([number]) => number)).toEqual([String(id), String(id + 1)])
})

test('it is readable by its owner alone, and nothing unfinished lies beside it', async () => {
  await add(publicKey())
  await forge.drain()
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
  expect((await readdir(dirname(file))).filter((name) => name.startsWith('authorized_keys'))).toEqual(['authorized_keys'])
})

test('a file that somebody else wrote stays as it is', async () => {
  const theirs = 'ssh-ed25519 AAAA admin@machine\n'
  await writeFile(file, theirs)
  await expect(authorizedKeysJob.handle(forge.app, {})).rejects.toThrow(/was not written by Gitstead/)
  await forge.app.db.insertInto('settings').values({ name: 'authorized_keys_enabled', value: 'false' }).execute()
  await expect(authorizedKeysJob.handle(forge.app, {})).rejects.toThrow(/was not written by Gitstead/)
  expect(await readFile(file, 'utf8')).toBe(theirs)
  await rm(file)
})

test('more keys than are read at once are all written', async () => {
  const row = (number: number) => ({
    kind: 'user' as const,
    user_id: ada.id,
    creator_id: null,
    title: 'x',
    type: 'ssh-ed25519',
    blob: `AAAA${number}`,
    comment: '',
    bits: 256,
    fingerprint_sha256: `x${number}`,
    fingerprint_md5: '',
    public: false,
    created_at: new Date().toISOString(),
    last_used_at: null,
  })
  for (let start = 0; start < 2_000; start += 500) {
    const rows = Array.from({ length: 500 }, (_, index) => row(start + index))
    await forge.app.db.insertInto('ssh_keys').values(rows).execute()
  }
  await authorizedKeysJob.handle(forge.app, {})
  expect(await lines()).toHaveLength(2_000)
})

test('any name of the data folder reaches the shell unchanged', async () => {
  const folder = await forge.folder()
  for (const home of [
    folder,
    join(folder, 'a b'),
    join(folder, `it's "so" $HOME \`x\` \\" \\ ;&|*`),
    join(folder, '-n'),
    join(folder, 'é%h'),
  ]) {
    const line = authorizedKeyLine(home, { id: 7, type: 'ssh-ed25519', blob: 'AAAA' })
    // As sshd reads it: up to the first quote that has no backslash before it.
    const [, option = '', rest] = /^command="((?:\\"|[^"])*)",(.*)$/.exec(line) ?? []
    expect(rest).toBe('restrict ssh-ed25519 AAAA key-7')
    const words = option.replaceAll('\\"', '"')
    const heard = execFileSync('/bin/sh', ['-c', `set -- ${words}; printf '%s\\n' "$@"`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n')
    expect([heard[0], heard[1], ...heard.slice(-2)]).toEqual(['env', `GITSTEAD_HOME=${home}`, 'shell', 'key-7'])
  }
  expect(() => quoteForShell('a\nb')).toThrow(/line break/)
})
