/** Public deploy keys, which administrators offer to every project. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { notFound } from '../../../failure.ts'
import { assertValid } from '../../../validation.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import {
  alreadyTaken,
  keepKey,
  readNewKey,
  removeIfOrphaned,
  rewriteAuthorizedKeys,
  type SentKey,
  titleError,
} from '../../people/keys/keys.ts'
import { lockKey, publicKeyById, updatePublic, updateTitle } from './deploy-keys.queries.ts'

/** Throws 404 if there is none. */
export async function findPublicKey({ db }: App, id: number): Promise<SshKey> {
  const key = await publicKeyById(db, id)
  if (!key) throw notFound('Deploy Key')
  return key
}

/** Throws 400 for a key that is invalid, too weak, or already exists. */
export async function addPublicKey(app: App, creator: User, sent: SentKey): Promise<SshKey> {
  const fresh = readNewKey(await readSettings(app.db), sent)
  try {
    return await inTransaction(app.db, async (tx) => {
      const key = await keepKey(tx, fresh, { kind: 'deploy', user_id: null, creator_id: creator.id })
      await updatePublic(tx, key.id, true)
      await publishPublicKey(tx, 'credential_created', key)
      await rewriteAuthorizedKeys(tx)
      return { ...key, public: true }
    })
  } catch (error) {
    throw isUniqueViolation(error) ? alreadyTaken(error) : error
  }
}

export async function changePublicKey({ db }: App, { id }: SshKey, title: string): Promise<void> {
  assertValid({ title: titleError(title) })
  await updateTitle(db, id, title)
}

/** Withdraws the key. Projects that have enabled it keep it; if there are none, it is deleted. */
export async function removePublicKey(app: App, key: SshKey): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await lockKey(tx, key.id)
    await updatePublic(tx, key.id, false)
    await publishPublicKey(tx, 'credential_revoked', key)
    await removeIfOrphaned(tx, key)
  })
}

function publishPublicKey(tx: Tx, type: 'credential_created' | 'credential_revoked', { id, title }: SshKey): Promise<void> {
  return publish(tx, { type, of: 'instance', credential: { kind: 'deploy_key', id, name: title } })
}
