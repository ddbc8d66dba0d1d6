/** The host keys of the SSH server: generated once, stored in the data folder, shared by all processes. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import ssh2 from 'ssh2'
import { createFoldersDurably, syncFolder, writeDurably } from '../../durable.ts'
import { StartRefused } from '../../failure.ts'

type KeyType = 'ed25519' | 'ecdsa' | 'rsa'

interface KeyPair {
  private: string
  public: string
}

const generate = promisify(ssh2.utils.generateKeyPair) as (type: KeyType, options: { bits?: number; comment?: string }) => Promise<KeyPair>

const kinds = [
  { type: 'ed25519', options: {} },
  { type: 'ecdsa', options: { bits: 256 } },
  { type: 'rsa', options: { bits: 3072 } },
] as const

/** Private keys in OpenSSH format, from files `ssh_host_…_key` with the public keys beside them. Throws StartRefused for an invalid key. */
export async function hostKeys(folder: string): Promise<string[]> {
  const files = kinds.map(({ type }) => join(folder, `ssh_host_${type}_key`))
  const found = await Promise.all(files.map(read))
  return Promise.all(
    kinds.map(async ({ type, options }, index) => {
      const file = files[index] as string
      return found[index] ?? keep(file, await makeKeyPair(type, options))
    }),
  )
}

/** In OpenSSH format. The library can't parse one in two hundred of its own Ed25519 keys; then another is generated. */
export async function makeKeyPair(type: KeyType, options: { bits?: number } = {}): Promise<KeyPair> {
  for (;;) {
    const pair = await generate(type, { ...options, comment: 'gitstead' })
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair
  }
}

/** Null if there is none. An invalid key is not replaced: every client would warn of an attack. */
async function read(file: string): Promise<string | null> {
  const secret = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new StartRefused(`the SSH host key ${file} can't be read: ${error.code}`)
  })
  if (secret !== null && ssh2.utils.parseKey(secret) instanceof Error) {
    throw new StartRefused(`${file} is not an SSH host key; restore it or remove it`)
  }
  return secret
}

/** The file is linked when it is complete; if two processes generate a key, the first wins. */
async function keep(file: string, { private: secret, public: open_key }: KeyPair): Promise<string> {
  await createFoldersDurably(dirname(file), 0o700)
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, secret, { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFile(file, 'utf8')
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(file))
  await writeDurably(`${file}.pub`, `${open_key}\n`, 0o644)
  return secret
}
