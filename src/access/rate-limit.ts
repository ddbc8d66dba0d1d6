/** Rate limit of failed sign-ins and of sign-ups, per network, stricter for a login under attack. Counted in the database, for all processes. */
import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { Failure } from '../failure.ts'
import { networkOf } from '../limits/network.ts'

interface Limit {
  max: number
  window_ms: number
}

/** Failures of one network at any login: beyond it none of its passwords is checked. */
const ofNetwork: Limit = { max: 10, window_ms: 60_000 }
/** Failures at one login from all networks together: beyond it the login is under attack, which alone refuses nobody. */
const atLogin: Limit = { max: 20, window_ms: 10 * 60_000 }
/** Failures of one network at a login that is under attack. */
const ofNetworkAtLogin: Limit = { max: 3, window_ms: 10 * 60_000 }
const wrongTokensOfNetwork: Limit = { max: 10, window_ms: 60_000 }
const signUpsOfNetwork: Limit = { max: 10, window_ms: 60_000 }

export interface Attempt {
  /** As typed, username or email address. Both are counted apart: no count reveals which belong together. */
  login: string
  /** The address of the client; null if unknown: then only the login is counted. */
  address: string | null
}

/**
 * Throws 429 if the network has failed too often. Failures of others at the same login refuse nobody: a right password is
 * accepted from every network within its own limit. One statement.
 */
export async function assertNotLimited(db: Db, attempt: Attempt): Promise<void> {
  const { network, login, pair } = keysOf(attempt)
  const rows = await db
    .selectFrom('sign_in_failures')
    .selectAll()
    .where('key', 'in', [network, login, pair].filter(isCounted))
    .where('ends_at', '>', now())
    .execute()
  const of = (key: string | null) => rows.find((row) => row.key === key) ?? { failures: 0, ends_at: '' }
  if (of(network).failures >= ofNetwork.max) throw tooMany(of(network).ends_at)
  if (of(login).failures >= atLogin.max && of(pair).failures >= ofNetworkAtLogin.max) throw tooMany(of(pair).ends_at)
}

/** Counts a failure. One statement, the same whether or not the login exists. */
export async function noteFailure(db: Db, attempt: Attempt): Promise<void> {
  const { network, login, pair } = keysOf(attempt)
  await count(db, [
    ...(network === null ? [] : [{ key: network, limit: ofNetwork }]),
    { key: login, limit: atLogin },
    ...(pair === null ? [] : [{ key: pair, limit: ofNetworkAtLogin }]),
  ])
}

/** Counts a sign-up, which costs as much as a failed sign-in. Throws 429 if there were too many. */
export async function countSignUp(db: Db, address: string): Promise<void> {
  const [row] = await count(db, [{ key: `sign-up ${networkOf(address)}`, limit: signUpsOfNetwork }])
  if (row && row.failures > signUpsOfNetwork.max) throw tooMany(row.ends_at)
}

/** Counts a wrong deploy token. Throws 429 if there were too many, which also stops machines that retry for ever. */
export async function countWrongToken(db: Db, address: string): Promise<void> {
  const [row] = await count(db, [{ key: `token ${networkOf(address)}`, limit: wrongTokensOfNetwork }])
  if (row && row.failures > wrongTokensOfNetwork.max) throw tooMany(row.ends_at)
}

/** Deletes counts whose window has ended. */
export async function deleteEndedCounts(db: Db): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('ends_at', '<=', now()).execute()
}

/** Stored as a digest: what was typed may be a password in the wrong field. */
function keysOf({ login, address }: Attempt) {
  const network = address === null ? null : networkOf(address)
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
  const typed = login.trim().toLowerCase()
  return {
    network: network && `network ${network}`,
    login: `login ${digest(typed)}`,
    pair: network && `pair ${digest(`${network}\0${typed}`)}`,
  }
}

function isCounted(key: string | null): key is string {
  return key !== null
}

/** Adds one to each count, or starts a new window. */
function count(db: Db, counted: Array<{ key: string; limit: Limit }>) {
  const at = now()
  const rows = counted.map(({ key, limit }) => ({ key, failures: 1, ends_at: new Date(Date.now() + limit.window_ms).toISOString() }))
  // Sorted: two processes with the same keys must not deadlock.
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  return db
    .insertInto('sign_in_failures')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        failures: eb
          .case()
          .when('sign_in_failures.ends_at', '<=', at)
          .then(1)
          .else(eb('sign_in_failures.failures', '+', 1))
          .end(),
        ends_at: eb
          .case()
          .when('sign_in_failures.ends_at', '<=', at)
          .then(eb.ref('excluded.ends_at'))
          .else(eb.ref('sign_in_failures.ends_at'))
          .end(),
      })),
    )
    .returningAll()
    .execute()
}

function tooMany(ends_at: string): Failure {
  const retry_after_s = Math.max(1, Math.ceil((Date.parse(ends_at) - Date.now()) / 1000))
  return new Failure('too_many', 'Too many failed attempts. Try again later.', { retry_after_s })
}
