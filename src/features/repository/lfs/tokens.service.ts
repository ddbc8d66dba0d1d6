/** Tokens with which SSH clients transfer large files: for one project and half an hour, while their SSH key is valid. */
import { digestOf, kindOfToken, newToken } from '../../../access/tokens.ts'
import type { Db } from '../../../db/database.ts'
import type { LfsToken } from '../../../db/tables.ts'
import { deleteTokensExpiredBefore, insertToken, tokensByDigest } from './tokens.queries.ts'

export const lfsTokenLife_s = 30 * 60

export function isLfsToken(secret: string): boolean {
  return kindOfToken(secret) === 'lfs'
}

/** Creates a token: only its digest is stored. */
export async function mintLfsToken(db: Db, bound: Pick<LfsToken, 'project_id' | 'key_id' | 'operation'>): Promise<string> {
  const token = newToken('gstlfs')
  const expires_at = new Date(Date.now() + lfsTokenLife_s * 1_000).toISOString()
  await insertToken(db, { digest: digestOf(token), ...bound, expires_at })
  return token
}

/** Null for an unknown or expired token. */
export async function findLfsToken(db: Db, token: string): Promise<LfsToken | null> {
  const [found] = await tokensByDigest(db, digestOf(token))
  return found && found.expires_at > new Date().toISOString() ? found : null
}

export function removeExpiredTokens(db: Db): Promise<void> {
  return deleteTokensExpiredBefore(db, new Date().toISOString())
}
