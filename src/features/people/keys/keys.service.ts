/** Public keys: who owns and uses them, and how they are added and removed. */
import { noteActivity } from '../../../access/activity.ts'
import { fingerprintsOf, type PublicKey } from '../../../access/ssh-keys.ts'
import { mayAct } from '../../../access/states.ts'
import { requirePerson } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { type Failure, invalid } from '../../../failure.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { authorizedKeysJob } from './keys.jobs.ts'
import { deleteKey, deleteOrphans, insertKey, keyByFingerprint, keyById, type OwnedKey, setLastUsed } from './keys.queries.ts'
import { fieldErrorOf, type NewKey, readNewKey, type SentKey } from './keys.rules.ts'

/** The holder of a key: its user, or the projects of a deploy key, which `user` created. */
export interface KeyHolder {
  key: SshKey
  user: User | null
}

/** The holder of this key, if it may be used; null otherwise. */
export async function findKeyHolder(app: App, key: PublicKey): Promise<KeyHolder | null> {
  return holderOf(app, await keyByFingerprint(app.db, fingerprintsOf(key.blob).sha256))
}

/** As `findKeyHolder`, for a key whose signature another program has verified. */
export async function findKeyHolderById(app: App, id: number): Promise<KeyHolder | null> {
  return holderOf(app, await keyById(app.db, id))
}

async function holderOf(app: App, found: OwnedKey | null): Promise<KeyHolder | null> {
  if (!found || fieldErrorOf(await readSettings(app.db), found.row) !== null) return null
  const { row, user } = found
  if (row.kind === 'user' && !(user && mayAct(user))) return null
  return { key: row, user }
}

const useIsNoted_ms = 60_000

/** Records a sign-in with the key, at most once a minute; a failure doesn't fail the sign-in. */
export async function noteUse(app: App, { key: { id, kind, last_used_at }, user }: KeyHolder): Promise<void> {
  // The use of a deploy key is no activity of its creator.
  if (kind === 'user' && user) await noteActivity(app.db, user)
  if (last_used_at !== null && Date.now() - Date.parse(last_used_at) < useIsNoted_ms) return
  await setLastUsed(app.db, id, now()).catch((error: unknown) => app.log.warn({ err: error, key: id }, 'last use of a key not recorded'))
}

/** Adds a key to a user. Throws 400 for one that is invalid, too weak, or already taken. */
export async function addUserKey(app: App, user: User, sent: SentKey): Promise<SshKey> {
  requirePerson(user)
  const fresh = readNewKey(await readSettings(app.db), sent)
  try {
    return await inTransaction(app.db, async (tx) => {
      const key = await keepKey(tx, fresh, { kind: 'user', user_id: user.id, creator_id: null })
      await publish(tx, { type: 'key_added', key })
      await rewriteAuthorizedKeys(tx)
      return key
    })
  } catch (error) {
    throw isUniqueViolation(error) ? alreadyTaken(error) : error
  }
}

export function alreadyTaken(cause: unknown, prefix = ''): Failure {
  return invalid({ [`${prefix}fingerprint`]: ['has already been taken'] }, cause)
}

/**
 * Inserts a key. Its transaction must end with `rewriteAuthorizedKeys`. Throws a unique violation (`isUniqueViolation`) if the key exists.
 */
export async function keepKey(tx: Db, { title, key, comment }: NewKey, owner: Pick<SshKey, 'kind' | 'user_id' | 'creator_id'>) {
  const { sha256, md5 } = fingerprintsOf(key.blob)
  await deleteOrphans(tx, { sha256 })
  return insertKey(tx, {
    ...owner,
    title,
    type: key.type,
    blob: key.blob.toString('base64'),
    comment,
    bits: key.bits,
    fingerprint_sha256: sha256,
    fingerprint_md5: md5,
    public: false,
    created_at: now(),
    last_used_at: null,
  })
}

export async function removeKey(app: App, key: SshKey): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await deleteKey(tx, key.id)
    if (key.kind === 'user') await publish(tx, { type: 'key_removed', key })
    await rewriteAuthorizedKeys(tx)
  })
}

/** Deletes a deploy key that no project uses any more, unless any project may enable it. */
export async function removeIfOrphaned(tx: Db, { fingerprint_sha256 }: SshKey): Promise<void> {
  await deleteOrphans(tx, { sha256: fingerprint_sha256 })
  await rewriteAuthorizedKeys(tx)
}

/**
 * Must end every transaction that adds or removes keys. It locks the one pending job, so nothing may be locked after it: transactions could
 * otherwise deadlock.
 */
export function rewriteAuthorizedKeys(tx: Db): Promise<void> {
  return enqueue(tx, authorizedKeysJob, {})
}
