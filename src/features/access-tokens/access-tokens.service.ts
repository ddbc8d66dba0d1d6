/** The rules of access tokens: who may make one, and for what. */
import { scopes as allScopes, type Scope } from '../../access/levels.ts'
import { type AccessToken, mintToken } from '../../access/tokens.ts'
import type { Db } from '../../db/database.ts'
import type { Day, User } from '../../db/tables.ts'
import { forbidden } from '../../failure.ts'
import { complainOfBlank, complainOfLength, refuseWith } from '../complaints.ts'

export interface WantedToken {
  name: string
  scopes: readonly string[]
  expires_at?: Day | null | undefined
  impersonation: boolean
}

/**
 * Makes a token for the user. `granting` are the scopes of the token that asks: none is made that reaches further, so that
 * one which can't act as others gets no other that can.
 */
export function makeToken(
  db: Db,
  user: User,
  granting: readonly Scope[],
  { name, scopes, expires_at = null, impersonation }: WantedToken,
): Promise<{ token: string; row: AccessToken }> {
  if (user.kind !== 'human') throw forbidden('Nobody acts as this user.')
  const wanted = [...new Set(scopes)]
  const given = allScopes.filter((scope) => wanted.includes(scope) && (scope !== 'sudo' || granting.includes('sudo')))
  refuseWith({
    name: complainOfBlank(name) ?? complainOfLength(name, 255),
    scopes: wanted.length === 0 ? "can't be blank" : given.length < wanted.length ? 'can only contain available scopes' : null,
  })
  return mintToken(db, { user_id: user.id, name, scopes: given, expires_on: expires_at, impersonation })
}
