/**
 * Service accounts: users for machines, who have tokens and no password, and are added to projects and groups as people are.
 *
 * One of a project or group is a member there and below and nowhere else, so whoever creates it opens nothing with it that they couldn't open
 * themselves. Those of the instance are created by administrators.
 */
import { randomBytes } from 'node:crypto'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { findNamespace, pathError } from '../../namespaces/namespaces.ts'
import { insertBot, loadLockedUser, updateUser } from '../users/users.ts'
import { insertServiceAccount, type Owner } from './service-accounts.queries.ts'

export interface NamedAccount {
  name?: string | undefined
  username?: string | undefined
}

/** Throws 400 for a name that can't be, and 409 for one that is taken. An account of an external user is external. */
export async function createServiceAccount(app: App, creator: User, owner: Owner, wanted: NamedAccount): Promise<User> {
  const { name = 'Service account user', username = randomName(owner) } = wanted
  await assertNames(app, { name, ...(wanted.username !== undefined && { username }) })
  const bot = { username, name, external: owner !== null && creator.external, kind: 'service_account' as const }
  return namedOnce(() =>
    inTransaction(app.db, async (tx) => {
      const account = await insertBot(tx, app.config, bot)
      await insertServiceAccount(tx, account.id, owner)
      await publish(tx, { type: 'service_account_created', user: account, of: owner ?? 'instance' })
      return account
    }),
  )
}

/** Throws as `createServiceAccount`. */
export async function renameServiceAccount(app: App, id: number, change: NamedAccount): Promise<User> {
  await assertNames(app, change)
  const { name, username } = change
  return namedOnce(() =>
    inTransaction(app.db, async (tx) => {
      const before = await loadLockedUser(tx, id)
      const user = await updateUser(tx, id, {
        ...(name !== undefined && { name }),
        ...(username !== undefined && { username, username_key: username.toLowerCase() }),
        updated_at: now(),
      })
      if (user.username !== before.username) await publish(tx, { type: 'user_renamed', user, before: before.username })
      return user
    }),
  )
}

function randomName(owner: Owner): string {
  const hash = randomBytes(16).toString('hex')
  if (owner === null) return `service_account_${hash}`
  return 'project_id' in owner
    ? `service_account_project_${owner.project_id}_${hash}`
    : `service_account_group_${owner.namespace_id}_${hash}`
}

/** A name in an address belongs to one user or group. */
async function assertNames(app: App, { name, username }: NamedAccount): Promise<void> {
  assertValid({
    name: name === undefined ? null : (blankError(name) ?? lengthError(name, 255) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : null)),
    username: username === undefined ? null : pathError(username, 'namespace', null),
  })
  if (username !== undefined && (await findNamespace(app.db, { path: username }))) throw taken()
}

async function namedOnce(work: () => Promise<User>): Promise<User> {
  try {
    return await work()
  } catch (error) {
    throw isUniqueViolation(error) ? taken(error) : error
  }
}

function taken(cause?: unknown): Failure {
  return new Failure('conflict', 'Username has already been taken', { cause })
}
