/**
 * Feed tokens, which are part of feed URLs and give read access to feeds only. Each person has one from the beginning, stored in the clear
 * because pages contain it. A token per feed would become invalid after a rename. A personal access token with such a scope would expire,
 * and people would put one with all scopes into the URL.
 */
import type { Db } from '../db/database.ts'
import type { User } from '../db/tables.ts'
import { usersWhoMayAct } from './states.ts'
import { awaitsTerms, termsInForce } from './terms.ts'
import { kindOfToken, newToken } from './tokens.ts'
import { passwordHasExpired } from './users.ts'

export function newFeedToken(): string {
  return newToken('gstft')
}

/**
 * Finds the user of a feed token; null for unknown tokens, and for users who are blocked or have yet to accept the terms or choose a
 * password.
 */
export async function userByFeedToken(db: Db, token: string): Promise<User | null> {
  if (kindOfToken(token) !== 'feed') return null
  const found = await db
    .selectFrom('users')
    .selectAll()
    .select(termsInForce(db))
    .where('feed_token', '=', token)
    .where(usersWhoMayAct())
    .where('kind', '=', 'human')
    .executeTakeFirst()
  if (!found) return null
  const { terms_in_force, ...user } = found
  return awaitsTerms(user, terms_in_force) || passwordHasExpired(user) ? null : user
}
