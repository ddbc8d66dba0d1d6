/** Issues access and refresh tokens: for a code, a refresh token, a password, or an application itself. */
import type { ApplicationScope } from '../../../access/levels.ts'
import { mayAct } from '../../../access/states.ts'
import { digestOf, newToken } from '../../../access/tokens.ts'
import { passwordSuffices, userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { OAuthApplication, OAuthGrant, User } from '../../../db/tables.ts'
import { oauthFailure } from '../../../http/reply/error-shapes.ts'
import { readSettings } from '../../instance/settings/settings.ts'
import { scopesOfApplication } from '../oauth-applications/oauth-applications.ts'
import { signInByLogin } from '../provider-sign-in/provider-sign-in.ts'
import { endGrant, openGrant } from './grants.service.ts'
import { insertToken, lockCode, lockGrant, lockTokenByRefresh, setCodeUsed, setRefreshed } from './oauth.queries.ts'
import { provesChallenge } from './pkce.ts'
import { readScopes } from './scopes.ts'

export const tokenLasts_s = 7_200

export interface IssuedToken {
  access_token: string
  /** Null if the application acts for itself: it asks again. */
  refresh_token: string | null
  scopes: ApplicationScope[]
  grant: OAuthGrant
  created_at: string
}

/** The only time the tokens can be seen. */
export async function issueToken(
  db: Db,
  grant: OAuthGrant,
  scopes: ApplicationScope[],
  { isRefreshable }: { isRefreshable: boolean },
): Promise<IssuedToken> {
  const access_token = newToken('gstoa')
  const refresh_token = isRefreshable ? newToken('gstor') : null
  const created_at = now()
  await insertToken(db, {
    grant_id: grant.id,
    digest: digestOf(access_token),
    refresh_digest: refresh_token && digestOf(refresh_token),
    scopes: scopes.join(' '),
    created_at,
    expires_at: new Date(Date.parse(created_at) + tokenLasts_s * 1000).toISOString(),
  })
  return { access_token, refresh_token, scopes, grant, created_at }
}

export interface SentCode {
  code: string
  redirect_uri: string
  code_verifier: string | undefined
}

/**
 * The tokens for a code. A code works once: a second use means that someone has a copy, and ends the grant. Throws `invalid_grant` for one
 * that is unknown, expired, of another client, or without a valid proof.
 */
export async function redeemCode(
  app: App,
  client: OAuthApplication,
  { code, redirect_uri, code_verifier }: SentCode,
): Promise<IssuedToken> {
  const digest = digestOf(code)
  const issued = await inTransaction(app.db, async (tx) => {
    const row = await lockCode(tx, digest)
    const grant = row && (await lockGrant(tx, row.grant_id))
    if (!row || grant?.application_id !== client.id) throw invalidGrant()
    if (row.used_at !== null) {
      await endGrant(tx, grant)
      return null
    }
    if (row.expires_at <= now() || row.redirect_uri !== redirect_uri) throw invalidGrant()
    // A verifier for a code that was requested without a challenge is an error: someone may have removed the challenge.
    const { challenge, challenge_method } = row
    if ((challenge === null) !== (code_verifier === undefined)) throw invalidGrant()
    if (challenge !== null && !provesChallenge(code_verifier ?? '', challenge, challenge_method ?? 'plain')) throw invalidGrant()
    await assertHolds(tx, grant)
    await setCodeUsed(tx, digest)
    return issueToken(tx, grant, grant.scopes.split(' ') as ApplicationScope[], { isRefreshable: true })
  })
  if (!issued) throw invalidGrant()
  return issued
}

/**
 * New tokens for old ones, with the same scopes or fewer. A refresh token works once: a second use means that someone has a copy, and ends
 * the grant with all its tokens.
 */
export async function refreshToken(app: App, client: OAuthApplication | null, sent: { refresh_token: string; scope: string | undefined }) {
  const issued = await inTransaction(app.db, async (tx) => {
    const old = await lockTokenByRefresh(tx, digestOf(sent.refresh_token))
    const grant = old && (await lockGrant(tx, old.grant_id))
    if (!old || !grant || grant.application_id !== (client?.id ?? null)) throw invalidGrant()
    if (old.refreshed_at !== null) {
      await endGrant(tx, grant)
      return null
    }
    await assertHolds(tx, grant)
    const had = old.scopes.split(' ') as ApplicationScope[]
    const scopes = sent.scope === undefined ? had : readScopes(sent.scope, had)
    await setRefreshed(tx, old.id)
    return issueToken(tx, grant, scopes, { isRefreshable: true })
  })
  if (!issued) throw invalidGrant()
  return issued
}

interface SentPassword {
  username: string
  password: string
  scope: string | undefined
  ip: string
}

/** A token for a username and password, as old clients request it; without an application if the client names none. */
export async function tokenForPassword(app: App, client: OAuthApplication | null, { username, password, scope, ip }: SentPassword) {
  if (!(await readSettings(app.db)).password_authentication_enabled_for_web)
    throw oauthFailure('unsupported_grant_type', 'Signing in with a password is disabled.')
  const scopes = requestedScopes(client, scope)
  const user = await signInByLogin(app, { login: username, password, address: ip, by: 'oauth' })
  if (!(user && mayAct(user) && passwordSuffices(user))) throw invalidGrant()
  return inTransaction(app.db, (tx) => issueForUser(tx, client, user, scopes))
}

async function issueForUser(tx: Tx, client: OAuthApplication | null, user: User, scopes: ApplicationScope[]): Promise<IssuedToken> {
  const grant = await openGrant(tx, { application_id: client?.id ?? null, user_id: user.id, scopes: scopes.join(' ') })
  return issueToken(tx, grant, scopes, { isRefreshable: true })
}

/** For an application that acts for itself. A public one can't prove its identity, so it is rejected. */
export function tokenForClient(app: App, client: OAuthApplication, scope: string | undefined): Promise<IssuedToken> {
  if (!client.confidential) throw oauthFailure('unauthorized_client', 'A public application acts for its users alone.')
  const scopes = requestedScopes(client, scope)
  return inTransaction(app.db, async (tx) => {
    const grant = await openGrant(tx, { application_id: client.id, user_id: null, scopes: scopes.join(' ') })
    return issueToken(tx, grant, scopes, { isRefreshable: false })
  })
}

/** The requested scopes; `api` by default. Throws `invalid_scope` for scopes that the client may not have. */
export function requestedScopes(client: OAuthApplication | null, scope: string | undefined): ApplicationScope[] {
  return readScopes(scope?.trim() || 'api', client ? scopesOfApplication(client) : ['api', 'read_user'])
}

/** Throws unless the grant is still valid. */
export async function assertHolds(tx: Tx, grant: OAuthGrant): Promise<void> {
  const user = grant.user_id === null ? null : await userById(tx, grant.user_id)
  if (grant.revoked_at !== null || !(user && mayAct(user))) throw invalidGrant()
}

/** One error for all reasons, so that guessing codes reveals nothing. */
export function invalidGrant() {
  return oauthFailure('invalid_grant', 'The authorization is invalid, has expired or was revoked, or was given to another client.')
}
