import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { parsePublicKey } from '../../access/ssh-keys.ts'
import { hostKeys, makeKeyPair } from './host-keys.ts'

let home = ''
let folder = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-test-'))
  folder = join(home, 'ssh')
})

afterEach(() => rm(home, { recursive: true, force: true }))

test('keys are made once, for their owner alone, with their public halves beside them', async () => {
  const made = await hostKeys(folder)
  const names = ['ecdsa', 'ed25519', 'rsa'].flatMap((type) => [`ssh_host_${type}_key`, `ssh_host_${type}_key.pub`])
  expect((await readdir(folder)).sort()).toEqual(names)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const name of names) {
    const isSecret = !name.endsWith('.pub')
    if (isSecret) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    else expect(parsePublicKey(await readFile(join(folder, name), 'utf8'))?.comment).toBe('gitstead')
  }
  expect(await hostKeys(folder)).toEqual(made)
})

test(
  'every key that is made can be read again',
  inFullRun('Half a second of processor. Each server of a test that speaks SSH reads its keys.'),
  async () => {
    const pairs = await Promise.all(Array.from({ length: 1_500 }, () => makeKeyPair('ed25519')))
    expect(pairs.filter((pair) => ssh2.utils.parseKey(pair.private) instanceof Error)).toEqual([])
  },
)

test('two processes that make them at once agree', inFullRun('Half a second of processor. Keys are made once, above.'), async () => {
  const [first, ...others] = await Promise.all([1, 2].map(() => hostKeys(folder)))
  for (const other of others) expect(other).toEqual(first)
  expect(await hostKeys(folder)).toEqual(first)
  expect(await readdir(folder)).toHaveLength(6)
})

test('a broken key stops the start with a line that names it, and is not replaced', async () => {
  await hostKeys(folder)
  const file = join(folder, 'ssh_host_rsa_key')
  for (const content of ['', 'rubbish', (await readFile(file, 'utf8')).slice(0, 500)]) {
    await writeFile(file, content)
    await expect(hostKeys(folder)).rejects.toMatchObject({
      name: 'StartRefused',
      message: `${file} is not an SSH host key; restore it or remove it`,
    })
    expect(await readFile(file, 'utf8')).toBe(content)
  }
})

test('a key that can’t be read stops the start with a line that names it', async () => {
  const file = join(folder, 'ssh_host_ed25519_key')
  await mkdir(file, { recursive: true })
  await expect(hostKeys(folder)).rejects.toMatchObject({
    name: 'StartRefused',
    message: `the SSH host key ${file} can't be read: EISDIR`,
  })
})
