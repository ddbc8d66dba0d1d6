/** Changing users, so that somebody is always left who may run the service. */
import type { Updateable } from 'kysely'
import { hashPassword } from '../../../access/passwords/passwords.ts'
import { requirePerson } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Namespace, User, UserTable } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden, notFound } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { findLockedNamespace, findNamespace, renameNamespace, updateNamespace } from '../../namespaces/namespaces.ts'
import { acceptAvatar, changeAvatar } from '../../storage/avatars/avatars.ts'
import { replaceIdentity } from '../identities/identities.ts'
import { addressesOf, demotePrimary, insertEmail, lockAddress, promoteEmail } from './emails.queries.ts'
import { lockAdministrators, lockUser, updateUser } from './users.queries.ts'
import { assertOwn, assertWellFormed, readEmail, withPublicEmail } from './users.rules.ts'
import { chosenColumns, conflictOf, type NewUser, rightsOfExternals } from './users.service.ts'

export interface UserChange extends Partial<Omit<NewUser, 'confirmed'>> {
  /** Whether a new address is effective at once, without confirmation. */
  skip_reconfirmation?: boolean | undefined
  /**
   * Digest of the session in which the user chose the new password: it is kept when all others end. Without one, the password must be
   * replaced at the next sign-in (spec 4.7).
   */
  session?: string | undefined
}

/** Changes a user. Throws 409 for values that are taken, 400 for invalid ones, 403 if no administrator would be left. */
export async function changeUser(app: App, id: number, wanted: UserChange): Promise<User> {
  const change = { ...withPublicEmail(wanted), ...(wanted.email !== undefined && { email: readEmail(wanted.email) }) }
  assertWellFormed(change)
  const password_hash = change.password === undefined ? null : await hashPassword(change.password)
  const avatar = await acceptAvatar(app, change.avatar)
  try {
    return await inTransaction(app.db, async (tx) => {
      // Lock order: namespaces first; among users, the administrators first.
      const namespace = change.username === undefined ? null : await lockOwnNamespace(tx, id)
      if (change.admin === false) await keepAnAdministrator(tx, id)
      const before = await loadLockedUser(tx, id)
      requirePerson(before)
      if (change.public_email) assertOwn(change.public_email, await addressesOf(tx, id))
      await changeAvatar(tx, before, avatar)
      if (password_hash) await publish(tx, { type: 'user_password_changed', user_id: id, session: change.session ?? null })
      const { provider, extern_uid } = change
      if (provider && extern_uid) await replaceIdentity(tx, id, { provider, extern_uid })
      const user = await updateUser(tx, id, {
        ...chosenColumns(change),
        ...(await rightsAfter(tx, before, change)),
        ...avatar,
        ...(password_hash && { password_hash, password_expires_at: change.session ? null : now() }),
        ...(await rename(tx, before, namespace, change)),
        ...(await readdress(tx, before, change)),
        updated_at: now(),
      })
      await publishChanges(tx, before, user)
      return user
    })
  } catch (error) {
    throw isUniqueViolation(error) ? await conflictOf(app, change, id, error) : error
  }
}

async function publishChanges(tx: Tx, before: User, user: User): Promise<void> {
  if (user.admin !== before.admin) await publish(tx, { type: 'administrator_changed', user_id: user.id, admin: user.admin })
  if (user.email !== before.email) await publish(tx, { type: 'user_email_changed', user, before: before.email })
  if (user.username !== before.username) await publish(tx, { type: 'user_renamed', user, before: before.username })
}

/** The personal namespace of a user, locked until the transaction ends. */
export async function lockOwnNamespace(tx: Db, userId: number): Promise<Namespace | null> {
  const namespace = await findNamespace(tx, { owner_id: userId })
  return namespace && findLockedNamespace(tx, namespace.id)
}

/** The user, locked until the transaction ends. Throws 404 where there is none, and 403 for the Ghost User. */
export async function loadLockedUser(tx: Db, id: number): Promise<User> {
  const user = await lockUser(tx, id)
  if (!user) throw notFound('User')
  if (user.kind === 'ghost') throw forbidden('The Ghost User cannot be changed')
  return user
}

/** First step of a transaction that may remove this user's administrator rights. Throws 403 for the last active administrator. */
export async function keepAnAdministrator(tx: Db, id: number): Promise<void> {
  const administrators = await lockAdministrators(tx)
  if (administrators.length === 1 && administrators[0] === id) throw forbidden('The last administrator has to remain one')
}

/** A user who becomes external, or ceases to be, gets the default rights of such users unless others are sent. */
async function rightsAfter(tx: Db, before: User, change: UserChange): Promise<Updateable<UserTable>> {
  const { external = before.external, can_create_group, projects_limit } = change
  if (external !== before.external && external) return rightsOfExternals
  const changed = external !== before.external
  const limit = changed ? (await readSettings(tx)).default_projects_limit : before.projects_limit
  return {
    external,
    can_create_group: can_create_group ?? (changed || before.can_create_group),
    projects_limit: projects_limit ?? limit,
  }
}

/** Also renames the personal namespace, and so changes the paths of everything in it. */
async function rename(tx: Db, before: User, namespace: Namespace | null, { username }: UserChange): Promise<Updateable<UserTable>> {
  if (username === undefined || username === before.username) return {}
  if (namespace) {
    await updateNamespace(tx, namespace.id, { name: username })
    await renameNamespace(tx, namespace.id, username)
  }
  return { username, username_key: username.toLowerCase() }
}

/**
 * A new address needs confirmation, unless the user has confirmed it before or an administrator skips it. The former one becomes a
 * secondary address.
 */
export async function readdress(tx: Tx, before: User, { email, skip_reconfirmation }: UserChange): Promise<Updateable<UserTable>> {
  if (email === undefined || email === before.email) return {}
  const at = now()
  const known = await lockAddress(tx, email)
  if (known && known.user_id !== before.id) throw new Failure('conflict', 'Email has already been taken')
  const settled = skip_reconfirmation || (known !== null && (known.is_primary || known.confirmed_at !== null))
  if (!settled) {
    await publish(tx, { type: 'email_change_requested', user_id: before.id, email })
    return { unconfirmed_email: email }
  }
  await demotePrimary(tx, before.id)
  if (known) await promoteEmail(tx, known.id, email, known.confirmed_at ?? at)
  else await insertEmail(tx, { user_id: before.id, email, is_primary: true, confirmed_at: at, created_at: at })
  const confirmed = { confirmed_at: before.confirmed_at ?? at, confirmation_required: false }
  return { email, email_key: email.toLowerCase(), unconfirmed_email: null, ...confirmed }
}
