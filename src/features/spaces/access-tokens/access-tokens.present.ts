/** A row of `access_tokens` as JSON. */
import { type AccessToken, stateOf } from '../../../access/tokens.ts'

/** `token` is the secret if it was just created, null if the form has the field without it. */
export function presentToken<T extends string | null | undefined = undefined>(row: AccessToken, token?: T) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    revoked: row.revoked,
    created_at: row.created_at,
    scopes: row.scopes.split(' '),
    user_id: row.user_id,
    last_used_at: row.last_used_at,
    last_used_on: row.last_used_at?.slice(0, 10) ?? null,
    active: stateOf(row) === 'valid',
    expires_at: row.expires_on,
    access_level: row.access_level ?? 0,
    impersonation: row.impersonation,
    token: token as T,
  }
}
