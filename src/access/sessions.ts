/** Sessions of the web pages: looked up by the digest of the cookie, and extended by use. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { User } from '../db/tables.ts'
import { noteActivity } from './activity.ts'
import { awaitsSecondFactor, groupRequiringSecondFactor, mayRequireSecondFactor, secondFactorRequired } from './passwords/second-factor.ts'
import type { Person } from './principals.ts'
import { mayAct } from './states.ts'
import { awaitsTerms, termsInForce } from './terms.ts'

export interface Session {
  digest: string
  user: User
  /** Whether the user must accept the terms first. */
  awaits_terms: boolean
  /** Whether the user must set up a second factor first, as the instance or a group of theirs requires one. */
  awaits_second_factor: boolean
  /** Username of the impersonating administrator; null for the user themselves. */
  impersonator: string | null
  impersonator_id: number | null
  is_remembered: boolean
  /** When the user signed in. */
  created_at: string
}

export function digestOfSession(secret: string): string {
  return hash('sha256', secret)
}

/** The CSRF token of a session, which forms and scripts send besides the cookie. */
export function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url')
}

/**
 * The CSRF token as pages contain it: masked differently each time, since otherwise the size of compressed pages would reveal it bit by
 * bit.
 */
export function maskedFormToken(secret: string): string {
  const token = Buffer.from(formTokenOf(secret), 'base64url')
  const mask = randomBytes(token.length)
  return Buffer.concat([mask, xor(token, mask)]).toString('base64url')
}

/** Whether this is the CSRF token of a session, masked or not. */
export function isFormToken(sent: string, secret: string): boolean {
  const token = Buffer.from(formTokenOf(secret), 'base64url')
  const bytes = Buffer.from(sent, 'base64url')
  const plain = bytes.length === 2 * token.length ? xor(bytes.subarray(0, token.length), bytes.subarray(token.length)) : bytes
  return plain.length === token.length && timingSafeEqual(plain, token) && bytes.toString('base64url') === sent
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, index) => byte ^ (other[index] as number)))
}

/** The session of this cookie; null if it is unknown or has expired, or its impersonator is no longer an administrator. */
export async function findSession(db: Db, secret: string): Promise<Session | null> {
  const [found] = await sessionByDigest(db, digestOfSession(secret))
  if (!found || found.expires_at <= now()) return null
  const { digest, user, terms_in_force, impersonator, is_remembered, created_at } = found
  const common = { digest, user, is_remembered, created_at }
  if (impersonator && !(impersonator.admin && mayAct(impersonator))) return null
  await prolong(db, found)
  // An impersonator's use doesn't count as activity of the user, and can't accept terms or set up a second factor for them.
  if (impersonator) {
    const { id, username } = impersonator
    return { ...common, awaits_terms: false, awaits_second_factor: false, impersonator: username, impersonator_id: id }
  }
  await noteActivity(db, user)
  const awaits_second_factor = mayRequireSecondFactor(found) && (await awaitsSecondFactor(db, user, found))
  return { ...common, awaits_terms: awaitsTerms(user, terms_in_force), awaits_second_factor, impersonator: null, impersonator_id: null }
}

/** When a session that is used now will end. */
export function endOf(lasts_min: number): string {
  return new Date(Date.now() + lasts_min * 60_000).toISOString()
}

/** When a session was last used, to within ten minutes. */
export function lastUseOf({ expires_at, lasts_min }: { expires_at: string; lasts_min: number }): string {
  return new Date(Date.parse(expires_at) - lasts_min * 60_000).toISOString()
}

type Found = Awaited<ReturnType<typeof sessionByDigest>>[number]

const useIsNoted_ms = 10 * 60_000

/**
 * Extends a session once a tenth of its lifetime is over, at most every ten minutes, so that not every request writes and the last use is
 * still known (`lastUseOf`). With a full disk it just ends sooner.
 */
async function prolong(db: Db, { digest, expires_at, lasts_min }: Found): Promise<void> {
  const unused_ms = Date.now() - Date.parse(lastUseOf({ expires_at, lasts_min }))
  if (unused_ms <= Math.min(lasts_min * 6_000, useIsNoted_ms)) return
  await db
    .updateTable('sessions')
    .set({ expires_at: endOf(lasts_min) })
    .where('digest', '=', digest)
    .execute()
    .catch(() => {})
}

const sessionByDigest = prepared(
  (db: Db, digest: string) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .leftJoin('users as impersonators', 'impersonators.id', 'sessions.impersonator_id')
      .selectAll('users')
      .select(['sessions.digest', 'sessions.expires_at', 'sessions.lasts_min', 'sessions.created_at as began_at'])
      .select(['sessions.is_remembered', 'sessions.skips_second_factor', 'sessions.impersonator_id'])
      .select(['impersonators.username as by_username', 'impersonators.admin as by_admin', 'impersonators.state as by_state'])
      .select([termsInForce(db), secondFactorRequired(db), groupRequiringSecondFactor(db)])
      .where('sessions.digest', '=', digest),
  ({
    digest,
    expires_at,
    lasts_min,
    began_at,
    is_remembered,
    skips_second_factor,
    terms_in_force,
    requires_second_factor,
    group_requiring,
    impersonator_id,
    by_username,
    by_admin,
    by_state,
    ...user
  }) => ({
    digest,
    expires_at,
    lasts_min,
    created_at: began_at,
    is_remembered,
    skips_second_factor,
    terms_in_force,
    requires_second_factor,
    group_requiring,
    impersonator:
      by_username === null || impersonator_id === null
        ? null
        : { id: impersonator_id, username: by_username, admin: by_admin, state: by_state },
    user,
  }),
)

/** The principal of a session. */
export function holderOfSession({ user, impersonator, impersonator_id }: Session, scopes: Person['scopes']): Person {
  const acting = impersonator === null || impersonator_id === null ? {} : { impersonator: { id: impersonator_id, username: impersonator } }
  return { kind: 'person', user, scopes, ...acting }
}
