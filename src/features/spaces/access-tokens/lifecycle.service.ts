/** Revokes and rotates access tokens; with the token of a project or group, its bot user ends, too. */
import { type AccessToken, mintToken, stateOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { Day } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing } from '../../../failure.ts'
import type { Credential } from '../../../http/declare/rules.ts'
import { assertValid } from '../../../validation.ts'
import { setUserState } from '../../people/users/users.ts'
import { endMembership, extendMembership, lockPlace, type Place } from '../members/members.ts'
import { liveFamilyOf, lockToken, setRevoked } from './access-tokens.queries.ts'
import { asCredential, endError, endOfOwn, mayGive } from './access-tokens.service.ts'

const week_ms = 7 * 24 * 60 * 60_000

/** The token is invalid from now on. A bot user is removed from its project or group, and blocked. */
export async function revokeToken(app: App, token: AccessToken): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const locked = await lockWithPlace(tx, token)
    if (locked && !locked.revoked) await revokeIn(tx, locked)
  })
}

/** Locks in the same order as the deletion of projects and groups, to avoid deadlocks. */
async function lockWithPlace(tx: Tx, token: AccessToken): Promise<AccessToken | undefined> {
  const place = placeOf(token)
  if (place) await lockPlace(tx, place)
  return lockToken(tx, token.id)
}

async function revokeIn(tx: Tx, token: AccessToken): Promise<void> {
  const place = placeOf(token)
  if (place) {
    await endMembership(tx, place, token.user_id)
    await setUserState(tx, token.user_id, 'blocked')
  }
  await setRevoked(tx, token.id)
  await publish(tx, { type: 'credential_revoked', ...asCredential(token) })
}

/**
 * Revokes the token and creates another one with its name and scopes, for the same user. It lasts until the given day; by default for a
 * week if the old one had an expiry. To rotate another token than the requesting one, the caller must be allowed to create such a token.
 * Throws 400 for a token that has ended. If it was already revoked, someone has a copy, so its whole chain is revoked.
 */
export async function rotateToken(
  app: App,
  token: AccessToken,
  asking: Credential,
  expires_at: Day | null | undefined,
): Promise<{ token: string; row: AccessToken }> {
  const rotated = await inTransaction(app.db, async (tx) => {
    const old = await lockWithPlace(tx, token)
    if (!old) throw missing()
    if (old.revoked) {
      for (const live of await liveFamilyOf(tx, old)) await revokeIn(tx, live)
      return null
    }
    if (stateOf(old) === 'expired') throw invalid('400 Bad request - Token has expired')
    const isOwn = asking.token_id === old.id
    if (!isOwn && !mayGive(asking, old.scopes.split(' '))) throw forbidden('The token has scopes that yours does not have.')
    const latest = isOwn ? null : await endOfOwn(tx, old.user_id, asking)
    const expires_on = expires_at ?? (old.expires_on === null ? latest : earlier(aWeekFromNow(), latest))
    assertValid({ expires_at: endError(expires_on, latest) })
    return replaceIn(tx, old, expires_on)
  })
  // Thrown after the transaction, so that the revocation is committed.
  if (!rotated) throw invalid('400 Bad request - Token was already revoked')
  return rotated
}

async function replaceIn(tx: Tx, old: AccessToken, expires_on: Day | null): Promise<{ token: string; row: AccessToken }> {
  const place = placeOf(old)
  if (place) await extendMembership(tx, place, old.user_id, expires_on)
  await setRevoked(tx, old.id)
  await publish(tx, { type: 'credential_revoked', ...asCredential(old) })
  const { user_id, name, description, impersonation, project_id, namespace_id, access_level } = old
  const minted = await mintToken(tx, {
    user_id,
    name,
    description,
    impersonation,
    project_id,
    namespace_id,
    access_level,
    scopes: old.scopes.split(' ') as Credential['scopes'],
    expires_on,
    family_id: old.family_id ?? old.id,
  })
  await publish(tx, { type: 'credential_created', ...asCredential(minted.row) })
  return minted
}

function placeOf({ project_id, namespace_id }: AccessToken): Place | null {
  if (project_id !== null) return { project_id }
  return namespace_id === null ? null : { namespace_id }
}

function aWeekFromNow(): Day {
  return new Date(Date.now() + week_ms).toISOString().slice(0, 10)
}

function earlier(one: Day, other: Day | null): Day {
  return other !== null && other < one ? other : one
}
