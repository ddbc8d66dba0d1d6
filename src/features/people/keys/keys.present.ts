/** Rows of `ssh_keys` as their views. */
import type { App } from '../../../app.ts'
import type { SshKey } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentAccount } from '../users/users.ts'
import type { OwnedKey } from './keys.queries.ts'
import type { Key, KeyWithUser } from './keys.schema.ts'

export function presentKey(row: SshKey): Presented<typeof Key> {
  return { id: row.id, title: row.title, key: lineOf(row), created_at: row.created_at, last_used_at: row.last_used_at }
}

/** Type, key and comment, as in a `.pub` file. */
export function lineOf({ type, blob, comment }: SshKey): string {
  return `${type} ${blob} ${comment}`.trim()
}

/** With its user, in the form in which users see their own account; for a deploy key, the user who created it. */
export async function presentKeyWithUser(app: App, { row, user }: OwnedKey): Promise<Presented<typeof KeyWithUser>> {
  return {
    id: row.id,
    title: row.title,
    key: lineOf(row),
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    fingerprint: row.fingerprint_md5,
    fingerprint_sha256: `SHA256:${row.fingerprint_sha256}`,
    user: user && (await presentAccount(app, user, { admin: false })),
  }
}
