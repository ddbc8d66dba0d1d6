/** Sessions: how they begin and end. */
import { randomBytes } from 'node:crypto'
import { digestOfSession, endOf, lastUseOf } from '../../../access/sessions.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, missing } from '../../../failure.ts'
import { networkOf } from '../../../limits/network.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { browserOf } from './browsers.ts'
import { deleteSession, insertSession, networksOf, noteNetwork, noteSignIn, sessionsOf } from './sessions.queries.ts'

/** A value for a cookie that nobody can guess. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Where a session begins. */
export interface SignInPlace {
  /** The network address of the client. */
  address: string
  /** The header `User-Agent`, as sent. */
  agent: string | undefined
}

/**
 * Begins a session and returns the value of its cookie, which is not stored. Throws 403 where the user has changed since
 * the password was checked.
 */
export async function beginSession(app: App, user: Pick<User, 'id' | 'password_hash'>, place?: SignInPlace): Promise<string> {
  const secret = newSecret()
  await inTransaction(app.db, async (tx) => {
    if (!(await noteSignIn(tx, user))) throw new Failure('forbidden', 'Your account has changed meanwhile. Sign in again.')
    await insertSession(tx, { ...(await lifeOf(tx)), ...placeOf(place), digest: digestOfSession(secret), user_id: user.id })
    if (place) await rememberNetwork(tx, user.id, place)
  })
  return secret
}

/** Somebody who signs in for the first time is nowhere known, so that tells nothing. */
async function rememberNetwork(tx: Tx, user_id: number, place: SignInPlace): Promise<void> {
  const [network, at] = [networkOf(place.address), now()]
  const known = await networksOf(tx, user_id)
  await noteNetwork(tx, { user_id, network, last_seen_at: at })
  if (known.length === 0 || known.includes(network)) return
  await publish(tx, { type: 'signed_in_from_new_network', user_id, at, ...placeOf(place), address: place.address })
}

/** Throws 403, after the right password, where the account is blocked. One that was never confirmed is so from the start. */
export async function assertMayBegin(app: App, user: User): Promise<void> {
  if (user.state === 'active' && user.confirmation_required) throw new Failure('forbidden', 'Confirm your email address first.')
  if (user.state === 'active') return
  await inTransaction(app.db, (tx) => publish(tx, { type: 'sign_in_refused', user }))
  const isWaiting = user.confirmed_at === null
  throw new Failure(
    'forbidden',
    isWaiting ? 'Your account is waiting for an administrator to unblock it.' : 'Your account has been blocked.',
  )
}

async function lifeOf(tx: Tx): Promise<{ lasts_min: number; expires_at: string; created_at: string }> {
  const { session_expire_delay: lasts_min } = await readSettings(tx)
  return { lasts_min, expires_at: endOf(lasts_min), created_at: now() }
}

function placeOf(place: SignInPlace | undefined): { address: string | null; browser: string | null } {
  return { address: place?.address ?? null, browser: browserOf(place?.agent) }
}

export async function endSession(db: Db, digest: string): Promise<void> {
  await deleteSession(db, digest)
}

export interface ActiveSession {
  /** Names the session in addresses of its user; by it nobody gets into it. */
  key: string
  isCurrent: boolean
  address: string | null
  browser: string | null
  created_at: string
  /** To within ten minutes. */
  last_used_at: string
}

const maxListed = 100

/** The sessions of a user, the last used first. Not those in which an administrator acts as the user. */
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

/** Ends one of the sessions of a user. Throws 404 where it has ended. */
export async function revokeSession(db: Db, user_id: number, key: string): Promise<void> {
  const found = (await sessionsOf(db, user_id, maxListed)).find(({ digest }) => keyOf(digest) === key)
  if (!found || !(await deleteSession(db, found.digest))) throw missing()
}

function keyOf(digest: string): string {
  return digest.slice(0, 16)
}
