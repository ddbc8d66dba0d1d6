/** Lets users connect identities to their accounts and disconnect them; one way to sign in must remain. */
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { deleteIdentity, type Identity, identitiesOf, insertIdentity } from '../identities/identities.ts'
import { loadLockedUser } from '../users/users.ts'
import { directoryName } from './ldap.service.ts'

/** Lets the user sign in with this identity. Throws 409 if another user has it, or the user has one of this provider already. */
export async function connect(app: App, user_id: number, identity: Identity, label: string): Promise<void> {
  try {
    await inTransaction(app.db, async (tx) => {
      await loadLockedUser(tx, user_id)
      const known = (await identitiesOf(tx, [user_id])).find(({ provider }) => provider === identity.provider)
      if (known?.extern_uid === identity.extern_uid) return
      if (known) throw new Failure('conflict', `Your account is connected to another one of ${label}. Disconnect that first.`)
      await insertIdentity(tx, user_id, identity)
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Failure('conflict', `This account of ${label} is connected to another user here.`, { cause: error })
  }
}

/** A provider, and whether the user has connected it. */
export interface Connection {
  provider: string
  label: string
  isConnected: boolean
  /** Whether the user can disconnect it: not a directory, and not the last way to sign in. */
  mayDisconnect: boolean
}

/** The providers of this instance. */
export async function connectionsOf(app: App, user: User): Promise<Connection[]> {
  const identities = await identitiesOf(app.db, [user.id])
  const { ways, openid } = await waysOf(app.db, app.config, user, identities)
  const { ldap } = app.config.identity_providers
  const has = (provider: string) => identities.some((identity) => identity.provider === provider)
  const connections = openid.map(({ name, label }) => {
    const isConnected = has(name)
    return { provider: name, label, isConnected, mayDisconnect: isConnected && ways > 1 }
  })
  const inDirectory = ldap !== null && has(directoryName)
  const directory = { provider: directoryName, label: 'the directory (LDAP)', isConnected: true, mayDisconnect: false }
  return inDirectory ? [directory, ...connections] : connections
}

/** Whether the user signs in with their directory password. */
export async function isInDirectory({ db, config }: App, { id }: Pick<User, 'id'>): Promise<boolean> {
  if (config.identity_providers.ldap === null) return false
  return (await identitiesOf(db, [id])).some(({ provider }) => provider === directoryName)
}

/** Throws 400 if the user could not sign in any more, and 404 where they are not connected. */
export async function disconnect(app: App, user_id: number, provider: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const user = await loadLockedUser(tx, user_id)
    const identities = await identitiesOf(tx, [user_id])
    const { ways, openid } = await waysOf(tx, app.config, user, identities)
    if (!openid.some(({ name }) => name === provider) || !identities.some((one) => one.provider === provider)) throw missing()
    if (ways < 2) throw invalid('It is your only way to sign in. Set a password first.')
    await deleteIdentity(tx, user_id, provider)
  })
}

/** The number of ways in which the user can sign in on a page. */
async function waysOf(db: Db, config: Config, user: User, identities: Identity[]) {
  const { disabled_oauth_sign_in_sources: disabled, password_authentication_enabled_for_web: open } = await readSettings(db)
  const { openid, ldap } = config.identity_providers
  const working = openid.filter(({ name }) => !disabled.includes(name))
  const names = [...working.map(({ name }) => name), ...(ldap !== null && open ? [directoryName] : [])]
  const connected = identities.filter(({ provider }) => names.includes(provider)).length
  return { openid: working, ways: connected + (open && user.password_hash !== null ? 1 : 0) }
}
