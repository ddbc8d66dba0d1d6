/**
 * Rate limits of failed sign-ins, per network and per login, and of sign-ups. Counted in the database, for all processes of an instance.
 *
 * An attempt is counted before its password is checked, and a right one is subtracted, so no more than the limit are checked even if many arrive
 * at once. A locked login still accepts networks from which its user has signed in before, so strangers can't lock users out of their own desks.
 * A username and an email address are counted separately, since a common count would reveal that they belong together. Tokens aren't counted: 160 random bits
 * are not guessed.
 *
 * A window that reaches its limit becomes a lock, and each lock in a row lasts twice as long as the one before, up to an hour. Attempts that a lock
 * refuses don't count, so a user who waits can sign in.
 */
import { createHash } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../limits/network.ts'

interface Limit {
  /** How the keys of its counts begin. */
  prefix: string
  max: number
  window_ms: number
}

const longestLock_ms = 60 * 60_000
/** A lock within this time after the previous one lasts twice as long. */
const remembered_ms = 24 * 60 * 60_000

/**
 * Maximum failures at one login from all networks together, as in the reference release. Beyond it, the login is locked until the window ends,
 * except for networks from which its user has signed in. Sessions, tokens and keys stay valid.
 */
const guessesAtLogin = { max: 10, window_ms: 10 * 60_000 }
/** Maximum failures at a locked login from a network from which its user has signed in. */
const guessesOfKnownNetwork = { max: 3, window_ms: 10 * 60_000 }

/** The counts that refuse whoever has filled them. */
export const refusingCounts = {
  /** Maximum failures of one network at all logins; beyond it, none of its passwords is checked. */
  passwords_of_network: { prefix: 'network ', max: 10, window_ms: 60_000 },
  passwords_of_login: { prefix: 'login ', ...guessesAtLogin },
  second_factor: { prefix: 'second_factor of login ', ...guessesAtLogin },
  deploy_tokens: { prefix: 'token ', max: 10, window_ms: 60_000 },
  sign_ups: { prefix: 'sign-up ', max: 10, window_ms: 60_000 },
  mails_of_network: { prefix: 'mail from ', max: 10, window_ms: 60_000 },
  /** Maximum messages to one address that were requested without signing in. */
  mails_to_address: { prefix: 'mail to ', max: 5, window_ms: 60 * 60_000 },
  /** Maximum messages that one user may send to addresses of their choice. */
  invitations: { prefix: 'invitations of ', max: 200, window_ms: 60 * 60_000 },
} as const satisfies Record<string, Limit>

export type RefusingCount = keyof typeof refusingCounts

const { passwords_of_network: ofNetwork, mails_to_address: mailsToAddress } = refusingCounts

/** The secret that is guessed. Second factors are counted separately from passwords. */
export type GuessedSecret = 'password' | 'second_factor'

/** The limits of guesses, by all networks together, and by one from which the user of a locked login has signed in. */
const guesses: Record<GuessedSecret, { login: Limit; pair: Limit }> = {
  password: { login: refusingCounts.passwords_of_login, pair: { prefix: 'pair ', ...guessesOfKnownNetwork } },
  second_factor: { login: refusingCounts.second_factor, pair: { prefix: 'second_factor of pair ', ...guessesOfKnownNetwork } },
}

export interface Attempt {
  /** A password by default. */
  secret?: GuessedSecret
  /** Username or email address, as typed. They are counted separately, so that no count reveals which belong together. */
  login: string
  /** The IP address of the client; null if unknown, in which case only the login is counted. */
  address: string | null
  /** Whose login it is, for administrators who look at locks; null where it is nobody's. */
  user_id: number | null
}

/** An admitted attempt, to which its outcome is reported. */
export interface AdmittedAttempt {
  wasWrong: () => Promise<void>
  wasRight: () => Promise<void>
}

/**
 * Counts an attempt at the login before its password is checked, so that concurrent attempts can't exceed the limit.
 * Throws 429 if the network has failed too often, or if the login is locked. Two statements, whether or not the login exists; one more
 * where it is locked.
 * @param isKnown whether the user of the login has signed in from the network
 */
export async function admitAttempt(db: Db, attempt: Attempt, isKnown: () => Promise<boolean>): Promise<AdmittedAttempt> {
  const { network, login, pair } = keysOf(attempt)
  const { login: atLogin, pair: ofKnownNetwork } = guesses[attempt.secret ?? 'password']
  const rows = await db
    .selectFrom('sign_in_failures')
    .selectAll()
    .where('key', 'in', [network, login, pair].filter(isCounted))
    .where('ends_at', '>', now())
    .execute()
  const of = (key: string | null) => rows.find((row) => row.key === key) ?? { failures: 0, ends_at: '' }
  if (of(network).failures >= ofNetwork.max) throw tooMany(of(network).ends_at)
  const isLocked = of(login).failures >= atLogin.max
  if (isLocked && (pair === null || of(pair).failures >= ofKnownNetwork.max || !(await isKnown()))) throw tooMany(of(login).ends_at)
  const counted = [
    { key: login, limit: atLogin, user_id: attempt.user_id },
    ...(pair === null ? [] : [{ key: pair, limit: ofKnownNetwork }]),
  ]
  const after = await count(db, counted)
  // Concurrent attempts may have been counted since.
  const [key, { max }] = isLocked ? [pair, ofKnownNetwork] : [login, atLogin]
  const own = after.find((row) => row.key === key)
  if (own && own.failures > max) throw tooMany(own.ends_at)
  return {
    async wasWrong() {
      const ofAddress = network === null ? [] : await count(db, [{ key: network, limit: ofNetwork }])
      // Only the attempt that reaches the limit locks the login.
      if (own?.failures === max) await lock(db, own, isLocked ? ofKnownNetwork : atLogin)
      for (const row of ofAddress) if (row.failures === ofNetwork.max) await lock(db, row, ofNetwork)
    },
    wasRight: () =>
      uncount(
        db,
        counted.map(({ key }) => key),
      ),
  }
}

/** Counts a sign-up, which costs as much as a failed sign-in. Throws 429 if there were too many. */
export async function countSignUp(db: Db, address: string): Promise<void> {
  await countOne(db, refusingCounts.sign_ups, networkOf(address))
}

/** Counts a wrong deploy token. Throws 429 if there were too many, which also stops machines that retry forever. */
export async function countWrongToken(db: Db, address: string): Promise<void> {
  await countOne(db, refusingCounts.deploy_tokens, networkOf(address))
}

/**
 * Counts a message that somebody who isn't signed in asks for. Throws 429 if a network asks too often.
 * @returns false if the address has got too many already
 */
export async function countMailRequest(db: Db, { network, email }: { network: string; email: string }): Promise<boolean> {
  const to = keyOf(mailsToAddress, digest(email.trim().toLowerCase()))
  const ofAsker = refusingCounts.mails_of_network
  const rows = await count(db, [
    { key: keyOf(ofAsker, networkOf(network)), limit: ofAsker },
    { key: to, limit: mailsToAddress },
  ])
  const [of, at] = [rows.find(({ key }) => key !== to), rows.find(({ key }) => key === to)]
  if (of && of.failures > ofAsker.max) throw tooMany(of.ends_at)
  return at === undefined || at.failures <= mailsToAddress.max
}

/** Counts a message to an address that somebody else may have typed. False if it has got too many already. */
export async function mayMailTo(db: Db, email: string): Promise<boolean> {
  const [row] = await count(db, [{ key: keyOf(mailsToAddress, digest(email)), limit: mailsToAddress }])
  return row === undefined || row.failures <= mailsToAddress.max
}

/** Counts an invitation to an address. Throws 429 if the user has sent too many, or the address has got too many. */
export async function countInvitation(db: Db, { user_id, email }: { user_id: number; email: string }): Promise<void> {
  const to = keyOf(mailsToAddress, digest(email))
  const ofUser = refusingCounts.invitations
  const rows = await count(db, [
    { key: keyOf(ofUser, String(user_id)), limit: ofUser },
    { key: to, limit: mailsToAddress },
  ])
  for (const { key, failures, ends_at } of rows)
    if (failures > (key === to ? mailsToAddress : ofUser).max) throw tooMany(ends_at, 'Too many invitations. Try again later.')
}

/** Forgets the failures at these logins, since their user has proved their identity. */
export async function unlockLogins(db: Db, logins: readonly string[]): Promise<void> {
  const keys = logins.map((login) => keyOf(refusingCounts.passwords_of_login, digest(login.toLowerCase())))
  await db.deleteFrom('sign_in_failures').where('key', 'in', keys).execute()
}

/** Deletes counts whose window has ended, and locks that no longer make the next one longer. */
export async function deleteEndedCounts(db: Db): Promise<void> {
  const forgotten = new Date(Date.now() - remembered_ms).toISOString()
  await db
    .deleteFrom('sign_in_failures')
    .where('ends_at', '<=', now())
    .where((eb) => eb.or([eb('lockouts', '=', 0), eb('ends_at', '<=', forgotten)]))
    .execute()
}

function keyOf({ prefix }: Limit, counted: string): string {
  return `${prefix}${counted}`
}

/** Stored as a digest: what was typed may be a password in the wrong field. */
function keysOf({ login, address, secret = 'password' }: Attempt) {
  const network = address === null ? null : networkOf(address)
  const typed = login.trim().toLowerCase()
  const limits = guesses[secret]
  return {
    network: network && keyOf(ofNetwork, network),
    login: keyOf(limits.login, digest(typed)),
    pair: network && keyOf(limits.pair, digest(`${network}\0${typed}`)),
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function isCounted(key: string | null): key is string {
  return key !== null
}

/** Adds one to a count of what no outcome takes back. Throws 429 if there were too many. */
async function countOne(db: Db, limit: Limit, counted: string): Promise<void> {
  const [row] = await count(db, [{ key: keyOf(limit, counted), limit }])
  if (row && row.failures > limit.max) throw tooMany(row.ends_at)
}

/** Adds one to each count, or starts a new window. */
function count(db: Db, counted: Array<{ key: string; limit: Limit; user_id?: number | null }>) {
  const at = now()
  const forgotten = new Date(Date.now() - remembered_ms).toISOString()
  const endOf = ({ window_ms }: Limit) => new Date(Date.now() + window_ms).toISOString()
  const rows = counted.map(({ key, limit, user_id = null }) => ({ key, failures: 1, ends_at: endOf(limit), lockouts: 0, user_id }))
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
        user_id: eb.ref('excluded.user_id'),
        lockouts: eb.case().when('sign_in_failures.ends_at', '<=', forgotten).then(0).else(eb.ref('sign_in_failures.lockouts')).end(),
      })),
    )
    .returningAll()
    .execute()
}

/** Locks what has reached its limit: once per window, as only one attempt reaches it. */
async function lock(db: Db, { key, lockouts }: { key: string; lockouts: number }, { max, window_ms }: Limit): Promise<void> {
  const lasts_ms = Math.min(window_ms * 2 ** Math.min(lockouts, 30), Math.max(longestLock_ms, window_ms))
  await db
    .updateTable('sign_in_failures')
    .set((eb) => ({ ends_at: new Date(Date.now() + lasts_ms).toISOString(), lockouts: eb('lockouts', '+', 1) }))
    .where('key', '=', key)
    .where('failures', '>=', max)
    .execute()
}

/** Subtracts one from each count. */
async function uncount(db: Db, keys: string[]): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('sign_in_failures')
    .where('key', 'in', keys)
    .where('failures', '<=', 1)
    .executeTakeFirstOrThrow()
  if (Number(numDeletedRows) === keys.length) return
  await db
    .updateTable('sign_in_failures')
    .set((eb) => ({ failures: eb('failures', '-', 1) }))
    .where('key', 'in', keys)
    .where('failures', '>', 1)
    .execute()
}

function tooMany(ends_at: string, message = 'Too many failed attempts. Try again later.'): Failure {
  const retry_after_s = Math.max(1, Math.ceil((Date.parse(ends_at) - Date.now()) / 1000))
  return new Failure('too_many', message, { retry_after_s })
}
