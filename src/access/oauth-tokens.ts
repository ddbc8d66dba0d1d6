/** Access tokens of OAuth 2.0 applications: whom they act for, and with which scopes. They expire with the user's grant. */
import type { Db } from '../db/database.ts'
import { now } from '../db/instants.ts'
import { prepared } from '../db/prepared-queries.ts'
import type { Instant, User } from '../db/tables.ts'
import { noteActivity } from './activity.ts'
import type { ApplicationScope } from './levels.ts'
import { mayAct } from './states.ts'
import { awaitsTerms, termsInForce } from './terms.ts'
import { digestOf, noteUse, type TokenState } from './tokens.ts'

export interface FoundOAuthToken {
  /** Null if the application acts for itself. */
  user: User | null
  scopes: ApplicationScope[]
  token_id: number
  grant_id: number
  /** Null if the user got the token with their password, without an application. */
  application_id: number | null
  created_at: Instant
  expires_at: Instant
  state: TokenState
  /** Whether the user must accept the terms first. */
  awaits_terms: boolean
}

/** Null for anything but an access token of an application, including refresh tokens. */
export async function findOAuthToken(db: Db, secret: string): Promise<FoundOAuthToken | null> {
  const [found] = await tokenByDigest(db, digestOf(secret))
  if (!found) return null
  const { user, terms_in_force, is_over, last_used_at, ...token } = found
  const state = is_over ? 'revoked' : token.expires_at <= now() ? 'expired' : 'valid'
  if (state === 'valid' && user && mayAct(user)) {
    await noteUse(db, { token_id: token.token_id, last_used_at }, 'oauth_tokens')
    await noteActivity(db, user)
  }
  return { ...token, user, state, awaits_terms: user !== null && awaitsTerms(user, terms_in_force) }
}

const tokenByDigest = prepared(
  (db: Db, digest: string) =>
    db
      .selectFrom('oauth_tokens')
      .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_tokens.grant_id')
      .leftJoin('users', 'users.id', 'oauth_grants.user_id')
      .selectAll('users')
      .select([
        'oauth_tokens.id as token_id',
        'oauth_tokens.grant_id',
        'oauth_tokens.scopes',
        'oauth_tokens.created_at as issued_at',
        'oauth_tokens.expires_at',
        'oauth_tokens.refreshed_at',
        'oauth_tokens.last_used_at',
        'oauth_grants.application_id',
        'oauth_grants.revoked_at',
      ])
      .select(termsInForce(db))
      .where('oauth_tokens.digest', '=', digest),
  ({
    token_id,
    grant_id,
    scopes,
    issued_at,
    expires_at,
    refreshed_at,
    last_used_at,
    application_id,
    revoked_at,
    terms_in_force,
    ...user
  }) => ({
    token_id,
    grant_id,
    scopes: scopes.split(' ') as ApplicationScope[],
    created_at: issued_at,
    expires_at,
    last_used_at,
    application_id,
    is_over: revoked_at !== null || refreshed_at !== null,
    terms_in_force,
    user: user.id === null ? null : (user as User),
  }),
)
