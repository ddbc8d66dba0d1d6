/** Sealed values: what another purpose, another key or one changed letter can't open. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { altered } from '../../test/support/altered.ts'
import { openForge } from '../../test/support/forge.ts'
import { openSecrets, requireSameKey, secretKeyFile } from './secrets.ts'

async function temporaryFolder(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-secrets-'))
  onTestFinished(() => rm(home, { recursive: true }))
  return home
}

test('bytes of any kind are sealed and opened, for their purpose, and whole', async () => {
  const secrets = await openSecrets(await temporaryFolder(), null)
  for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 10, 128]), Buffer.alloc(70_000, 'x')]) {
    const sealed = secrets.sealBytes(bytes, 'files')
    expect(secrets.unsealBytes(sealed, 'files').equals(bytes)).toBe(true)
    expect(() => secrets.unsealBytes(sealed, 'others')).toThrow()
    expect(() => secrets.unsealBytes(sealed.subarray(0, -1), 'files')).toThrow()
    expect(() => secrets.unsealBytes(Buffer.from('plain'), 'files')).toThrow('not a sealed file')
  }
})

test('what is sealed is opened for its purpose, after a restart too', async () => {
  const home = await temporaryFolder()
  const secrets = await openSecrets(home, null)
  const sealed = secrets.seal('päss wörd', 'variables')
  expect(sealed).not.toContain('wörd')
  expect(secrets.seal('päss wörd', 'variables')).not.toBe(sealed)
  const later = await openSecrets(home, null)
  expect(later.unseal(sealed, 'variables')).toBe('päss wörd')
  expect(() => later.unseal(sealed, 'triggers')).toThrow()
})

test('the key is a file for its owner alone', async () => {
  const home = await temporaryFolder()
  await openSecrets(home, null)
  expect((await stat(join(home, secretKeyFile))).mode & 0o777).toBe(0o600)
})

test('several processes that start at once get the same key', async () => {
  const home = await temporaryFolder()
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => openSecrets(home, null)))
  const sealed = first?.seal('value', 'variables') ?? ''
  for (const other of others) expect(other.unseal(sealed, 'variables')).toBe('value')
  expect(await readdir(home)).toEqual([secretKeyFile])
})

test('another key opens nothing, nor does a changed or cut value', async () => {
  const home = await temporaryFolder()
  const secrets = await openSecrets(home, 'a'.repeat(32))
  const sealed = secrets.seal('value', 'variables')
  const other = await openSecrets(home, 'b'.repeat(32))
  expect(() => other.unseal(sealed, 'variables')).toThrow()
  for (const broken of [altered(sealed), sealed.slice(0, 12), 'value', ''])
    expect(() => secrets.unseal(broken, 'variables'), broken).toThrow()
})

test('an emptied key file is told at the start, and not replaced by a new key', async () => {
  const home = await temporaryFolder()
  await writeFile(join(home, secretKeyFile), '')
  await expect(openSecrets(home, null)).rejects.toThrow(/holds no key/)
})

test('a database is opened only with the key it was sealed with', async () => {
  const forge = await openForge()
  const { db } = forge.app
  const other = await openSecrets(await forge.folder(), 'another key of at least 32 characters')

  await requireSameKey(db, forge.app.secrets, { writes: true })
  await requireSameKey(db, forge.app.secrets, { writes: false })

  await expect(requireSameKey(db, other, { writes: true })).rejects.toThrow(/^the secret key is not the one/)
  await db.deleteFrom('settings').where('name', '=', 'secret_key_check').execute()
  await requireSameKey(db, other, { writes: false })
  expect(await db.selectFrom('settings').select('name').where('name', '=', 'secret_key_check').execute()).toEqual([])
})
