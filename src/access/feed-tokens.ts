/**
 * Feed tokens: they stand in the addresses of feeds, and allow reading those and nothing else.
 *
 * One for each person, created with them, stored as it is: it stands in the head of pages. A token for each feed would no longer fit after a
 * rename. A personal access token with such a scope would end, and people would put the one with all scopes into the address.
 */
import type { Db } from '../db/database.ts'
import type { User } from '../db/tables.ts'
import { awaitsTerms, termsInForce } from './terms.ts'
import { kindOfToken, newToken } from './tokens.ts'
import { passwordHasExpired } from './users.ts'

export function newFeedToken(): string {
  return newToken('gstft')
}

/** Finds the user of a feed token; null for unknown ones, and for users who are blocked or have yet to accept the terms or choose a password. */
export async function userByFeedToken(db: Db, token: string): Promise<User | null> {
  if (kindOfToken(token) !== 'feed') return null
  const found = await db
    .selectFrom('users')
    .selectAll()
    .select(termsInForce(db))
    .where('feed_token', '=', token)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .executeTakeFirst()
  if (!found) return null
  const { terms_in_force, ...user } = found
  return awaitsTerms(user, terms_in_force) || passwordHasExpired(user) ? null : user
}
