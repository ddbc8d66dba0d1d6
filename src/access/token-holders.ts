/** The principal that a token stands for: the one place where the token of a user or an application becomes a principal. */
import type { Db } from '../db/database.ts'
import { findOAuthToken } from './oauth-tokens.ts'
import type { ApplicationHolder, OAuthHolder, TokenHolder } from './principals.ts'
import { findToken, kindOfToken, type TokenState } from './tokens.ts'

interface FoundHolder {
  principal: TokenHolder | OAuthHolder | ApplicationHolder
  state: TokenState
  /** Whether the user must accept the terms first. */
  awaits_terms: boolean
}

/** Null for an unknown token. */
export async function holderOf(db: Db, secret: string): Promise<FoundHolder | null> {
  if (kindOfToken(secret) === 'oauth') return oauthHolder(db, secret)
  const found = await findToken(db, secret)
  if (!found) return null
  const { user, scopes, token_id, state, awaits_terms } = found
  return { principal: { kind: 'token', user, scopes, token_id }, state, awaits_terms }
}

async function oauthHolder(db: Db, secret: string): Promise<FoundHolder | null> {
  const found = await findOAuthToken(db, secret)
  if (!found) return null
  const { user, scopes, state, awaits_terms, ...token } = found
  const principal: OAuthHolder | ApplicationHolder =
    user === null ? { kind: 'application', scopes, token } : { kind: 'oauth', user, scopes, token }
  return { principal, state, awaits_terms }
}
