/** The rules of GPG keys: public ones only, and each of one user only. */
import { requirePerson } from '../../../access/users.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { GpgKey, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { deleteGpgKey, gpgKeyByFingerprint, insertGpgKey } from './gpg-keys.queries.ts'
import { fingerprintOfBlock, NoPublicKey } from './openpgp.ts'

/** A key grows with signatures of others; this is the limit. */
const longest = 256 * 1024

/** Adds a key to a user. Throws 400 if it isn't a public key, or someone already has it. */
export async function addGpgKey(db: Db, user: User, sent: string): Promise<GpgKey> {
  requirePerson(user)
  const key = sent.trim()
  assertValid({ key: blankError(key) ?? lengthError(key, longest) })
  const fingerprint = readFingerprint(key)
  try {
    return await inTransaction(db, async (tx) => {
      const added = await insertGpgKey(tx, { user_id: user.id, key, fingerprint, created_at: now() })
      await publish(tx, { type: 'gpg_key_added', key: added })
      return added
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const known = await gpgKeyByFingerprint(db, fingerprint)
    throw invalid({ [known?.key === key ? 'key' : 'fingerprint']: ['has already been taken'] }, error)
  }
}

/** Deletes a key; its signatures are shown as those of an unknown key from now on. */
export async function removeGpgKey(db: Db, key: GpgKey): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (await deleteGpgKey(tx, key.id)) await publish(tx, { type: 'gpg_key_removed', key })
  })
}

function readFingerprint(key: string): string {
  try {
    return fingerprintOfBlock(key)
  } catch (error) {
    throw error instanceof NoPublicKey ? invalid({ key: [error.message] }) : error
  }
}
