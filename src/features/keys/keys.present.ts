/** Rows of `ssh_keys` as their views. */
import type { Static } from 'typebox'
import type { App } from '../../app.ts'
import type { SshKey } from '../../db/tables.ts'
import { presentAccount } from '../users/users.service.ts'
import type { OwnedKey } from './keys.queries.ts'
import type { Key, KeyWithUser } from './keys.schema.ts'

export function presentKey({ id, title, type, blob, comment, created_at, last_used_at }: SshKey): Static<typeof Key> {
  return { id, title, key: `${type} ${blob} ${comment}`.trim(), created_at, last_used_at }
}

/** With its user, as he sees himself who is no administrator; of a deploy key with who made it. */
export async function presentKeyWithUser(app: App, { row, user }: OwnedKey): Promise<Static<typeof KeyWithUser>> {
  return {
    ...presentKey(row),
    fingerprint: row.fingerprint_md5,
    fingerprint_sha256: `SHA256:${row.fingerprint_sha256}`,
    user: user && (await presentAccount(app, user, { ...user, admin: false })),
  }
}
