/**
 * Tokens sent to users by mail: the link in the message resets a password, confirms an address or unlocks a login, once. The database
 * contains their digests.
 */
import { hashPassword } from '../../../access/passwords/passwords.ts'
import { unlockLogins } from '../../../access/passwords/rate-limit.ts'
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { AccountToken, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { newSecret } from '../sessions/sessions.ts'
import { assertPassword, confirmAddress, loadLockedUser, setPassword } from '../users/users.ts'
import {
  accountTokenBy,
  countTokensUntil,
  deleteAccountTokens,
  insertAccountToken,
  type TokenPurpose,
  takeAccountToken,
} from './account-tokens.queries.ts'

const hour_ms = 60 * 60_000

/** Lifetime of each kind in hours. A login is locked for minutes. */
export const lifeOfToken_h: Record<TokenPurpose, number> = { reset_password: 48, confirm_email: 72, unlock: 1 }

/** Maximum per kind and user, so that nobody can flood others with mail. */
const maxInHour = 10

/**
 * Creates a token and returns it, the only time it can be seen; null if the user got too many within an hour. Earlier tokens stay valid, so
 * that a stranger who asks for another one doesn't invalidate the link in the user's mailbox.
 */
export async function issueAccountToken(
  tx: Tx,
  { purpose, user_id, email }: Pick<AccountToken, 'purpose' | 'user_id' | 'email'>,
  at: Date = new Date(),
): Promise<string | null> {
  const life_ms = lifeOfToken_h[purpose] * hour_ms
  const issuedAnHourAgo = new Date(at.getTime() + life_ms - hour_ms).toISOString()
  if ((await countTokensUntil(tx, user_id, purpose, issuedAnHourAgo)) >= maxInHour) return null
  const token = newSecret()
  const expires_at = new Date(at.getTime() + life_ms).toISOString()
  await insertAccountToken(tx, { digest: digestOf(token), purpose, user_id, email, expires_at })
  return token
}

/** Whether the token is currently valid. */
export async function isGoodToken(db: Db, token: string, purpose: TokenPurpose, at: Date = new Date()): Promise<boolean> {
  return (await accountTokenBy(db, digestOf(token), purpose, at.toISOString())) !== null
}

/** Throws 400 for an unknown, used or expired token: one error for all, which reveals nothing about accounts. */
async function takeToken(tx: Tx, token: string, purpose: TokenPurpose, at: Date): Promise<AccountToken> {
  const taken = await takeAccountToken(tx, digestOf(token), purpose, at.toISOString())
  if (!taken) throw invalid('This link has expired, or was used before. Ask for another one.')
  return taken
}

/**
 * Sets the password, and ends all sessions and all other links of this kind. Whoever has the token reads the account's mail, so the address
 * is confirmed, too. Throws 400 for an invalid token or password; an invalid password leaves the token valid.
 */
export async function resetPassword(app: App, token: string, password: string, at: Date = new Date()): Promise<void> {
  assertPassword(password)
  const password_hash = await hashPassword(password)
  await inTransaction(app.db, async (tx) => {
    const { user_id, email } = await takeToken(tx, token, 'reset_password', at)
    const user = await loadLockedUser(tx, user_id)
    await setPassword(tx, user, password_hash)
    if (user.email === email && user.confirmed_at === null) await confirmAddress(tx, user, email)
  })
}

/** Confirms the address that the token was sent to. Throws 400 for a bad token, and if somebody else has the address by now. */
export async function confirmEmail(app: App, token: string, at: Date = new Date()): Promise<void> {
  try {
    await inTransaction(app.db, async (tx) => {
      const { user_id, email } = await takeToken(tx, token, 'confirm_email', at)
      const isKnown = await confirmAddress(tx, await loadLockedUser(tx, user_id), email)
      if (!isKnown) throw invalid('This address is no longer one of yours.')
    })
  } catch (error) {
    throw isUniqueViolation(error) ? invalid('Somebody else has this address.', error) : error
  }
}

/** Resets failed attempts at the user's logins. */
export async function unlockSignIn(app: App, token: string, at: Date = new Date()): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const { user_id } = await takeToken(tx, token, 'unlock', at)
    const { username, email } = await loadLockedUser(tx, user_id)
    await deleteAccountTokens(tx, user_id, 'unlock')
    await unlockLogins(tx, [username, email])
  })
}

/** Whether the user may be sent such a link: people who may sign in, or whom signing in activates again. */
export function getsLinks({ kind, state }: Pick<User, 'kind' | 'state'>): boolean {
  return kind === 'human' && (state === 'active' || state === 'deactivated')
}
