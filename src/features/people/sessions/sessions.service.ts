/** Begins and ends sessions. */
import { randomBytes } from 'node:crypto'
import { hasKnownNetwork, isKnownNetwork, rememberNetwork } from '../../../access/passwords/known-networks.ts'
import { digestOfSession, endOf, lastUseOf } from '../../../access/sessions.ts'
import { refusalOfUser } from '../../../access/states.ts'
import { userByLogin } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { Failure, missing } from '../../../failure.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { setUserState } from '../users/users.ts'
import { browserOf } from './browsers.ts'
import { deleteSession, insertSession, noteSignIn, sessionsOf } from './sessions.queries.ts'

/** A random value for a cookie. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The client that a session begins with, for the list of a user's sessions. */
export interface SignInPlace {
  /** IP address of the client. */
  address: string
  /** The header `User-Agent`, as sent. */
  agent: string | undefined
}

/**
 * Begins a session and returns the value of its cookie, which is not stored. Throws 403 if the user has changed since
 * the password was checked.
 */
export function beginSession(app: App, user: SigningIn, place?: SignInPlace, options: SessionOptions = {}): Promise<string> {
  return inTransaction(app.db, (tx) => beginSessionIn(tx, user, place, options))
}

type SigningIn = Pick<User, 'id' | 'username' | 'password_hash' | 'state'>

export interface SessionOptions {
  /** Whether the browser keeps the cookie after it is closed. */
  isRemembered?: boolean
  /** Whether the user has used their second factor. If they have one, no session begins without it. */
  isProved?: boolean
}

/** As `beginSession`, inside a transaction. */
export async function beginSessionIn(
  tx: Tx,
  user: SigningIn,
  place: SignInPlace | undefined,
  { isRemembered = false, isProved = false }: SessionOptions,
): Promise<string> {
  const secret = newSecret()
  if (user.state === 'deactivated') await setUserState(tx, user.id, 'active')
  if (!(await noteSignIn(tx, user, { isProved }))) throw new Failure('forbidden', 'Your account has changed meanwhile. Sign in again.')
  const life = await lifeOf(tx, isRemembered)
  await insertSession(tx, { ...life, ...placeOf(place), digest: digestOfSession(secret), user_id: user.id })
  if (place) await noteNetwork(tx, user, place)
  await publish(tx, { type: 'signed_in', user, address: place?.address ?? null })
  return secret
}

/** At the first sign-in of a user, every network is new, so there is nothing to report. */
async function noteNetwork(tx: Tx, { id: user_id }: SigningIn, place: SignInPlace): Promise<void> {
  const isNew = !(await isKnownNetwork(tx, user_id, place.address)) && (await hasKnownNetwork(tx, user_id))
  await rememberNetwork(tx, user_id, place.address)
  if (isNew) await publish(tx, { type: 'signed_in_from_new_network', user_id, at: now(), ...placeOf(place), address: place.address })
}

/** Publishes that a sign-in has failed. */
export async function recordFailure(
  app: App,
  { login, address, by }: { login: string; address: string; by: EventOf<'sign_in_failed'>['with'] },
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const user = await userByLogin(tx, login)
    await publish(tx, { type: 'sign_in_failed', user: user ?? null, with: by, address })
  })
}

/** Called after the right password. Throws 403 if the user may not sign in; a deactivated user may, which activates the account again. */
export async function assertMayBegin(app: App, user: User): Promise<void> {
  const refusal = user.state === 'deactivated' ? null : refusalOfUser(user)
  if (refusal === null && user.confirmation_required) throw new Failure('forbidden', 'Confirm your email address first.')
  if (refusal === null) return
  await inTransaction(app.db, (tx) => publish(tx, { type: 'sign_in_refused', user }))
  throw new Failure('forbidden', refusal)
}

/** Minimum lifetime of a remembered session without a request. */
const remembered_min = 14 * 24 * 60

async function lifeOf(tx: Tx, is_remembered: boolean) {
  const { session_expire_delay } = await readSettings(tx)
  const lasts_min = is_remembered ? Math.max(session_expire_delay, remembered_min) : session_expire_delay
  return { lasts_min, expires_at: endOf(lasts_min), created_at: now(), is_remembered }
}

function placeOf(place: SignInPlace | undefined): { address: string | null; browser: string | null } {
  return { address: place?.address ?? null, browser: browserOf(place?.agent) }
}

export async function endSession(db: Db, digest: string): Promise<void> {
  await deleteSession(db, digest)
}

export interface ActiveSession {
  /** Identifies the session in URLs for its user; it gives no access. */
  key: string
  isCurrent: boolean
  address: string | null
  browser: string | null
  created_at: string
  /** Accurate to ten minutes. */
  last_used_at: string
}

const maxListed = 100

/** The sessions of a user, most recently used first, without those of impersonators. */
export async function activeSessions(db: Db, user_id: number, current: string | null): Promise<ActiveSession[]> {
  const rows = await sessionsOf(db, user_id, maxListed)
  return rows.map((row) => ({
    key: keyOf(row.digest),
    isCurrent: row.digest === current,
    address: row.address,
    browser: row.browser,
    created_at: row.created_at,
    last_used_at: lastUseOf(row),
  }))
}

/** Ends one of the sessions of a user. Throws 404 if it has ended. */
export async function revokeSession(db: Db, user_id: number, key: string): Promise<void> {
  const found = (await sessionsOf(db, user_id, maxListed)).find(({ digest }) => keyOf(digest) === key)
  if (!found || !(await deleteSession(db, found.digest))) throw missing()
}

function keyOf(digest: string): string {
  return digest.slice(0, 16)
}
