/** Sign-in with a name and password of the directory, with the same form and requests as with a local password. */
import { type PasswordCheck, signInByPassword, userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { type Identity, lockIdentity, setBlocks, userOfIdentity } from '../identities/identities.ts'
import { recordFailure } from '../sessions/sessions.ts'
import { keepAnAdministrator, loadLockedUser, setUserState } from '../users/users.ts'
import { accountOf } from './accounts.service.ts'

/** The provider name of identities in the directory, as clients of release 11.3 know it. */
export const directoryName = 'ldapmain'

interface Attempt {
  login: string
  password: string
  address: string
  by: 'password' | 'oauth'
}

/**
 * The user with this name and password, locally or in the directory; null if they are wrong, which is recorded in the audit log. Takes as
 * long for an unknown login. Throws as `signInByPassword` does, and 503 if the directory is unavailable.
 */
export async function signInByLogin(app: App, { login, password, address, by }: Attempt): Promise<User | null> {
  const user = await signInByPassword(app.db, login, password, address, passwordElsewhere(app))
  if (!user) await recordFailure(app, { login, address, by })
  return user
}

/** Checks the password with the directory; undefined if none is configured. Creates an account for a person without one. */
export function passwordElsewhere(app: App): PasswordCheck | undefined {
  const { ldap } = app.config.identity_providers
  if (ldap === null) return undefined
  return async (login, password) => {
    const { findByPassword } = await import('../../../outgoing/identity-providers/directory.ts')
    const person = await findByPassword(ldap, login, password).catch((error: unknown) => {
      if (error instanceof Failure) app.log.warn({ err: error.cause }, 'directory not reachable')
      throw error
    })
    if (!person) return null
    const identity = { provider: directoryName, extern_uid: person.dn }
    const user = await accountOf(app, {
      ...identity,
      label: 'The directory',
      usernames: [person.username],
      name: person.name,
      email: person.email,
      // Addresses in the directory are trusted, like the directory itself.
      isEmailVerified: true,
      sign_up: true,
    })
    const isBack = user.state === 'blocked' && (await followDirectory(app, identity, true))
    return isBack ? userById(app.db, user.id) : user
  }
}

/**
 * Blocks a user who is no longer in the directory, and unblocks one who was blocked for that reason. True if that changed the user. A user
 * whom an administrator has blocked stays blocked, and the last active administrator is never blocked.
 */
export function followDirectory(app: App, identity: Identity, isThere: boolean): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    const user_id = await userOfIdentity(tx, identity)
    if (user_id === null) return false
    if (!isThere) await keepAnAdministrator(tx, user_id)
    const { state } = await loadLockedUser(tx, user_id)
    const { blocks } = await lockIdentity(tx, identity)
    const isDue = isThere ? blocks : state === 'active' || state === 'deactivated'
    if (!isDue) return false
    await setUserState(tx, user_id, isThere ? 'active' : 'blocked')
    await setBlocks(tx, identity, !isThere)
    return true
  })
}
