/** Rules of access tokens: who may create one, and with which scopes. */
import type { Kysely } from 'kysely'
import { scopes as allScopes } from '../../../access/levels.ts'
import { type AccessToken, mintToken } from '../../../access/tokens.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import type { Day, Tables, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden } from '../../../failure.ts'
import type { Credential } from '../../../http/declare/rules.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { tokenById } from './access-tokens.queries.ts'

export interface WantedToken {
  name: string
  description?: string | null | undefined
  scopes: readonly string[]
  expires_at?: Day | null | undefined
}

/**
 * Creates a token for the user, with no more rights than the requesting token: without sudo it can't create one with sudo, and if it
 * expires, it can't create one for its own user that lasts longer. With an administrator it is a token by which they act as the user.
 */
export async function makeToken(
  db: Kysely<Tables>,
  user: User,
  asking: Credential,
  { name, description, scopes, expires_at }: WantedToken,
  administrator: Pick<User, 'id'> | null = null,
): Promise<{ token: string; row: AccessToken }> {
  const isAccount = user.kind === 'service_account' && administrator === null
  if (user.kind !== 'human' && !isAccount) throw forbidden('This user can’t be impersonated.')
  const impersonation = administrator !== null
  // It would outlive what the user allowed, and be listed as theirs.
  if (asking.is_delegated && !impersonation) throw forbidden('An application can’t create tokens for its user.')
  const allowed = isAccount ? serviceScopes : allScopes.filter((scope) => mayGive(asking, [scope]))
  const { given, fieldError } = readScopes(scopes, allowed)
  const latest = await endOfOwn(db, user.id, asking)
  const expires_on = expires_at ?? latest
  assertValid({ ...textErrors({ name, description }), scopes: fieldError, expires_at: endError(expires_on, latest) })
  return inTransaction(db, async (tx) => {
    const wanted = { user_id: user.id, name, description: description ?? null, scopes: given, expires_on }
    const minted = await mintToken(tx, { ...wanted, impersonation, created_by_id: administrator?.id ?? null })
    await publish(tx, { type: 'credential_created', ...asCredential(minted.row) })
    return minted
  })
}

/** A service account can't act as others. */
export const serviceScopes = allScopes.filter((scope) => scope !== 'sudo')

/** The token as events have it: whose it is, and what it is called. */
export function asCredential({ id, name, scopes, user_id, project_id, namespace_id, impersonation }: AccessToken) {
  const credential = { id, name, scopes: scopes.split(' ') }
  if (project_id !== null) return { of: { project_id }, credential: { ...credential, kind: 'project_access_token' } } as const
  if (namespace_id !== null) return { of: { namespace_id }, credential: { ...credential, kind: 'group_access_token' } } as const
  const kind = impersonation ? 'impersonation_token' : 'personal_access_token'
  return { of: { user_id }, credential: { ...credential, kind } } as const
}

/** Whether the caller may create a token with these scopes: creating one requires `api`, which includes all but `sudo`. */
export function mayGive(asking: Credential, scopes: readonly string[]): boolean {
  return asking.scopes.includes('sudo') || !scopes.includes('sudo')
}

/** The distinct valid scopes, in canonical order; and the error in what was sent, if any. */
export function readScopes<S extends string>(sent: readonly string[], available: readonly S[]): { given: S[]; fieldError: string | null } {
  // Some clients send one text, separated by commas.
  const wanted = [...new Set(sent.flatMap((text) => text.split(',')))]
  const given = available.filter((scope) => wanted.includes(scope))
  const fieldError = wanted.length === 0 ? "can't be blank" : given.length < wanted.length ? 'can only contain available scopes' : null
  return { given, fieldError }
}

/** Names go into commits, as those of bot users, and both texts into lists on terminals. */
export function textErrors({ name, description }: Pick<WantedToken, 'name' | 'description'>) {
  return {
    name: blankError(name) ?? lengthError(name, 255) ?? (/\p{Cc}/u.test(name) ? 'is invalid' : null),
    description: lengthError(description ?? undefined, 255),
  }
}

/** Expiry of the requesting token, if it belongs to this user: tokens for others are not capped. */
export async function endOfOwn(db: Db, userId: number, { token_id }: Credential): Promise<Day | null> {
  const token = token_id === null ? null : await tokenById(db, token_id)
  return token?.user_id === userId ? token.expires_on : null
}

export function endError(expires_on: Day | null, latest: Day | null): string | null {
  return latest && expires_on && expires_on > latest ? `must not be after ${latest}, when the token in use ends` : null
}
