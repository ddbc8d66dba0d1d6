/** A row of `access_tokens` as JSON. */
import { type AccessToken, stateOf } from '../../access/tokens.ts'

export function presentToken(row: AccessToken) {
  const { id, name, revoked, created_at, scopes, user_id, last_used_on, expires_on } = row
  return {
    id,
    name,
    revoked,
    created_at,
    scopes: scopes.split(' '),
    user_id,
    last_used_on,
    active: stateOf(row) === 'valid',
    expires_at: expires_on,
  }
}

export function presentImpersonationToken(row: AccessToken, token: string | null = null) {
  return { ...presentToken(row), impersonation: row.impersonation, token }
}
