/**
 * Deploy keys: keys of machines, with access to the projects they are enabled in. They share a table with the keys of users, unique by
 * fingerprint, so that a key identifies exactly one caller. A deploy key can push to a protected branch only if its creator can: otherwise
 * anyone who can add a key could bypass every protection. A key whose creator is deleted or blocked can still read, but not push.
 */
import { fingerprintsOf } from '../../../access/ssh-keys.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { SshKey, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden } from '../../../failure.ts'
import { assertValid } from '../../../validation.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import {
  alreadyTaken,
  keepKey,
  type NewKey,
  readNewKey,
  removeIfOrphaned,
  rewriteAuthorizedKeys,
  type SentKey,
  titleError,
} from '../../people/keys/keys.ts'
import {
  accessibleKey,
  deleteKeyProject,
  findKeyProject,
  insertKeyProject,
  keyOfProject,
  lockKey,
  type ProjectKey,
  updateKeyProject,
  updateTitle,
} from './deploy-keys.queries.ts'

/** The permission of the key in the project; null if it isn't enabled there. */
export function findDeployKeyProject(db: Db, key_id: number, project_id: number): Promise<{ can_push: boolean } | null> {
  return findKeyProject(db, key_id, project_id)
}

/** Prefix of field names in errors, which clients rely on. */
const prefix = 'deploy_key.'

interface Target {
  project_id: number
  can_push: boolean
}

/**
 * Adds a key to a project: a new one, or one that the user could enable there. If the project already has it, nothing changes. Throws 400
 * for a key that is invalid, too weak, or belongs to someone else.
 */
export async function addDeployKey(app: App, user: User, target: Target, sent: SentKey): Promise<ProjectKey> {
  const fresh = readNewKey(await readSettings(app.db), sent, prefix)
  const known = () => enableDeployKey(app, user, { sha256: fingerprintsOf(fresh.key.blob).sha256 }, target)
  return (await known()) ?? create(app, user, fresh, target).catch((error: unknown) => assertKnown(error, known))
}

/** A concurrent request may have added the key: that one is then used, if the user may enable it. */
async function assertKnown(error: unknown, known: () => Promise<ProjectKey | null>): Promise<ProjectKey> {
  if (!isUniqueViolation(error)) throw error
  const added = await known()
  if (!added) throw alreadyTaken(error, prefix)
  return added
}

function create(app: App, user: User, fresh: NewKey, { project_id, can_push }: Target): Promise<ProjectKey> {
  return inTransaction(app.db, async (tx) => {
    const key = await keepKey(tx, fresh, { kind: 'deploy', user_id: null, creator_id: user.id })
    await insertKeyProject(tx, { key_id: key.id, project_id, can_push })
    await publishKey(tx, 'credential_created', project_id, key)
    await rewriteAuthorizedKeys(tx)
    return (await keyOfProject(tx, project_id, key.id)) as ProjectKey
  })
}

/** Enables an existing key. Null if the user can see no such key. */
export function enableDeployKey(
  app: App,
  user: User,
  by: { id: number } | { sha256: string },
  { project_id, can_push }: Target,
): Promise<ProjectKey | null> {
  return inTransaction(app.db, async (tx) => {
    const seen = await accessibleKey(tx, user, by)
    if (!seen) return null
    await lockKey(tx, seen.id)
    // Its last project may have removed it meanwhile.
    const key = await accessibleKey(tx, user, by)
    if (!key) return null
    if (await insertKeyProject(tx, { key_id: key.id, project_id, can_push })) await publishKey(tx, 'credential_created', project_id, key)
    return keyOfProject(tx, project_id, key.id)
  })
}

function publishKey(tx: Tx, type: 'credential_created' | 'credential_revoked', project_id: number, { id, title }: SshKey): Promise<void> {
  return publish(tx, { type, of: { project_id }, credential: { kind: 'deploy_key', id, name: title } })
}

export interface DeployKeyChange {
  title?: string | undefined
  can_push?: boolean | undefined
}

/** Changes a key in a project. Only administrators can change public keys, since other projects rely on them. */
export async function changeDeployKey(
  app: App,
  user: User,
  project_id: number,
  key: ProjectKey,
  change: DeployKeyChange,
): Promise<ProjectKey> {
  if (key.public && !user.admin) throw forbidden()
  const { title = key.title, can_push = key.can_push } = change
  assertValid({ [`${prefix}title`]: titleError(title) })
  await inTransaction(app.db, async (tx) => {
    await updateTitle(tx, key.id, title)
    await updateKeyProject(tx, key.id, project_id, can_push)
  })
  return { ...key, title, can_push }
}

/** Removes a key from a project, and deletes it with its last project, unless it is public. */
export async function removeDeployKey(app: App, project_id: number, key: SshKey): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await lockKey(tx, key.id)
    if (await deleteKeyProject(tx, key.id, project_id)) await publishKey(tx, 'credential_revoked', project_id, key)
    await removeIfOrphaned(tx, key)
  })
}
