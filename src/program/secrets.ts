/** Seals secrets that must be readable again, but not from the database or a backup alone: AES-256-GCM with a key outside of both. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { createDurably } from '../durable.ts'
import { StartRefused } from '../failure.ts'

export interface Secrets {
  /** `purpose` names the column: a value sealed for one purpose can't be opened for another. */
  seal: (text: string, purpose: string) => string
  /** Throws for a value that this key didn't seal for this purpose. */
  unseal: (sealed: string, purpose: string) => string
  /** As `seal`, for bytes of any kind: a file. */
  sealBytes: (bytes: Buffer, purpose: string) => Buffer
  unsealBytes: (sealed: Buffer, purpose: string) => Buffer
  /** Proves that a text came from this instance: always the same for a text and a purpose. */
  sign: (text: string, purpose: string) => string
}

/** Name of the key file in the data folder, used if no key is configured. */
export const secretKeyFile = 'secret-key'

/** The row of the settings that identifies the key with which the database was sealed. */
const checkRow = 'secret_key_check'
const checkPurpose = 'settings.value'

const version = 'v1'
/** The first byte of what `sealBytes` gives. */
const bytesVersion = Buffer.from([1])
const nonce_bytes = 12
const tag_bytes = 16

/**
 * The key is derived from `GITSTEAD_SECRET_KEY`, or else from a file in the data folder, which the first start creates. All processes of an
 * instance need the same key.
 */
export async function openSecrets(home: string, configured: string | null): Promise<Secrets> {
  const key = Buffer.from(hkdfSync('sha256', configured ?? (await readOrWriteKey(home)), '', 'gitstead sealed columns', 32))
  return {
    seal: (text, purpose) => `${version}.${sealed(key, Buffer.from(text, 'utf8'), purpose).toString('base64url')}`,
    unseal(text, purpose) {
      if (!text.startsWith(`${version}.`)) throw new Error(`${purpose}: not a sealed value`)
      return opened(key, Buffer.from(text.slice(version.length + 1), 'base64url'), purpose).toString('utf8')
    },
    sealBytes: (bytes, purpose) => Buffer.concat([bytesVersion, sealed(key, bytes, purpose)]),
    unsealBytes(bytes, purpose) {
      if (!bytes.subarray(0, 1).equals(bytesVersion)) throw new Error(`${purpose}: not a sealed file`)
      return opened(key, bytes.subarray(1), purpose)
    },
    sign: (text, purpose) => createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url'),
  }
}

function sealed(key: Buffer, bytes: Buffer, purpose: string): Buffer {
  const nonce = randomBytes(nonce_bytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

function opened(key: Buffer, bytes: Buffer, purpose: string): Buffer {
  if (bytes.length < nonce_bytes + tag_bytes) throw new Error(`${purpose}: not a sealed value`)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonce_bytes)).setAAD(Buffer.from(purpose))
  decipher.setAuthTag(bytes.subarray(-tag_bytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonce_bytes, -tag_bytes)), decipher.final()])
}

/** If several processes start at once, all get the key of one. */
async function readOrWriteKey(home: string): Promise<string> {
  const file = join(home, secretKeyFile)
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found !== null && found.trim().length < 32) throw new StartRefused(`${file} holds no key; restore it from a backup`)
  if (found !== null) return found.trim()
  const fresh = randomBytes(32).toString('base64url')
  return (await createDurably(file, `${fresh}\n`, 0o600)) ? fresh : readOrWriteKey(home)
}

/**
 * Throws unless the database was sealed with this key; stores the check value if there is none yet. With another key nothing sealed could
 * be read, and new values would be unreadable with the right one.
 * @param from.writes false: another process opens the database
 */
export async function requireSameKey(db: Db, secrets: Secrets, { writes }: { writes: boolean }): Promise<void> {
  const find = () => db.selectFrom('settings').select('value').where('name', '=', checkRow).executeTakeFirst()
  if (writes && !(await find())) {
    const value = JSON.stringify(secrets.seal(checkRow, checkPurpose))
    await db
      .insertInto('settings')
      .values({ name: checkRow, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const found = await find()
  if (!found) return
  try {
    secrets.unseal(JSON.parse(found.value) as string, checkPurpose)
  } catch {
    throw new StartRefused(
      `the secret key is not the one that this database was sealed with: restore ${secretKeyFile} in the data folder, or GITSTEAD_SECRET_KEY, from a backup`,
    )
  }
}
