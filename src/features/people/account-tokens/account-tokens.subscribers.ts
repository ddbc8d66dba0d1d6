/** Events that invalidate tokens sent by mail. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteAccountTokens } from './account-tokens.queries.ts'

/** Tokens of a deactivated user stay valid: signing in activates the account, and the user may need to reset the password. */
export async function forgetTokens(tx: Tx, { user_id, state }: EventOf<'user_blocked'>): Promise<void> {
  if (state !== 'deactivated') await deleteAccountTokens(tx, user_id, null)
}

/** Reset links become invalid when a password is set. */
export function forgetResets(tx: Tx, { user_id }: EventOf<'user_password_changed'>): Promise<void> {
  return deleteAccountTokens(tx, user_id, 'reset_password')
}

/** Tokens sent to a former address become invalid: its reader may be someone else now. */
export function forgetTokensOfAddress(tx: Tx, { user }: EventOf<'user_email_changed'>): Promise<void> {
  return deleteAccountTokens(tx, user.id, 'reset_password')
}
