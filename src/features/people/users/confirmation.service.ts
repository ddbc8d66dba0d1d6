/** Confirms addresses, and sets passwords without the old one: parts of transactions whose callers have authorized that. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { assertValid } from '../../../validation.ts'
import { confirmEmailRow, lockAddress } from './emails.queries.ts'
import { updateUser } from './users.queries.ts'
import { passwordError } from './users.rules.ts'
import { loadLockedUser, readdress } from './writes.service.ts'

/**
 * Confirms an address of the user, who is locked; one that waits to become the primary one becomes it. False if it is none of theirs by
 * now. Throws what `isUniqueViolation` knows, or 409, where somebody else has it.
 */
export async function confirmAddress(tx: Tx, user: User, email: string): Promise<boolean> {
  const at = now()
  if (user.unconfirmed_email === email) {
    const address = await readdress(tx, user, { email, skip_reconfirmation: true })
    const changed = await updateUser(tx, user.id, { ...address, updated_at: at })
    await publish(tx, { type: 'user_email_changed', user: changed, before: user.email })
    return true
  }
  const known = await lockAddress(tx, email)
  if (known?.user_id !== user.id) return false
  if (known.confirmed_at === null) await confirmEmailRow(tx, known.id, at)
  if (known.is_primary)
    await updateUser(tx, user.id, { confirmed_at: user.confirmed_at ?? at, confirmation_required: false, updated_at: at })
  return true
}

/** An administrator confirms the primary address, or the pending one. */
export async function confirmAccount(app: App, id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const user = await loadLockedUser(tx, id)
    await confirmAddress(tx, user, user.unconfirmed_email ?? user.email)
  })
}

/** Throws 400 for an invalid password. */
export function assertPassword(password: string): void {
  assertValid({ password: passwordError(password) })
}

/** Ends all sessions of the user, whose row is locked. */
export async function setPassword(tx: Tx, user: User, password_hash: string): Promise<void> {
  await publish(tx, { type: 'user_password_changed', user_id: user.id, session: null })
  await updateUser(tx, user.id, { password_hash, password_expires_at: null, updated_at: now() })
}
