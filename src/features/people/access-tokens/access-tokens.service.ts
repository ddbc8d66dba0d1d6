/** The rules of access tokens: who may make one, and for what. */
import { scopes as allScopes, type Scope } from '../../../access/levels.ts'
import { type AccessToken, mintToken } from '../../../access/tokens.ts'
import type { Db } from '../../../db/database.ts'
import type { Day, User } from '../../../db/tables.ts'
import { forbidden } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { tokenById } from './access-tokens.queries.ts'

export interface WantedToken {
  name: string
  scopes: readonly string[]
  expires_at?: Day | null | undefined
  impersonation: boolean
}

/** What a request was made with. */
export interface Asking {
  scopes: readonly Scope[]
  /** Null where it was no token of the caller's own: a session, or the word of an administrator. */
  token_id: number | null
}

/**
 * Makes a token for the user, which reaches no further than what asks for it: one that can't act as others gets no other that
 * can, and one that ends gets its user none that lasts longer.
 */
export async function makeToken(
  db: Db,
  user: User,
  asking: Asking,
  { name, scopes, expires_at, impersonation }: WantedToken,
): Promise<{ token: string; row: AccessToken }> {
  if (user.kind !== 'human') throw forbidden('Nobody acts as this user.')
  const wanted = [...new Set(scopes)]
  const given = allScopes.filter((scope) => wanted.includes(scope) && (scope !== 'sudo' || asking.scopes.includes('sudo')))
  const latest = await endOfOwn(db, user, asking)
  const expires_on = expires_at ?? latest
  assertValid({
    name: blankError(name) ?? lengthError(name, 255),
    scopes: wanted.length === 0 ? "can't be blank" : given.length < wanted.length ? 'can only contain available scopes' : null,
    expires_at: latest && expires_on && expires_on > latest ? `must not be after ${latest}, when the token that asks for it ends` : null,
  })
  return mintToken(db, { user_id: user.id, name, scopes: given, expires_on, impersonation })
}

/** Expiry of the token of the request, if it belongs to this user: tokens that administrators create for others are not capped. */
async function endOfOwn(db: Db, user: User, { token_id }: Asking): Promise<Day | null> {
  const token = token_id === null ? null : await tokenById(db, token_id)
  return token?.user_id === user.id ? token.expires_on : null
}
