/** Introspects and revokes tokens of applications. */
import { mayAct } from '../../../access/states.ts'
import { digestOf } from '../../../access/tokens.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { OAuthApplication } from '../../../db/tables.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { endGrant } from './grants.service.ts'
import { tokenWithGrant } from './oauth.queries.ts'

/**
 * Ends the grant of an access or refresh token, so that the client has no valid token left. An unknown token is not an error (RFC 7009);
 * that of another client is.
 */
export async function revokeByToken(app: App, client: OAuthApplication | null, token: string): Promise<void> {
  const found = await tokenWithGrant(app.db, digestOf(token))
  if (!found) return
  if (found.grant.application_id !== (client?.id ?? null))
    throw oauthFailure('unauthorized_client', 'The token was given to another client.')
  await inTransaction(app.db, (tx) => endGrant(tx, found.grant))
}

/** Describes a token of this client by RFC 7662; tokens of other clients are reported as inactive. */
export async function introspect(app: App, client: OAuthApplication, secret: string) {
  const found = await tokenWithGrant(app.db, digestOf(secret))
  if (!found || found.grant.application_id !== client.id) return { active: false }
  const { token, grant, isRefresh } = found
  const user = grant.user_id === null ? null : await userById(app.db, grant.user_id)
  const isBlocked = grant.user_id !== null && !(user && mayAct(user))
  const isOver = grant.revoked_at !== null || token.refreshed_at !== null || (!isRefresh && token.expires_at <= now())
  if (isBlocked || isOver) return { active: false }
  return {
    active: true,
    scope: token.scopes,
    client_id: client.uid,
    username: user?.username,
    token_type: isRefresh ? undefined : 'bearer',
    exp: isRefresh ? undefined : secondsOf(token.expires_at),
    iat: secondsOf(token.created_at),
    sub: user ? String(user.id) : undefined,
  }
}

export function secondsOf(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000)
}
