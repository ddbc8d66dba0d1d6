/** How SSH keys react to events. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteKeysOf } from './keys.queries.ts'

/** They would be deleted with the row of the user, but only after the job is locked; everywhere else the keys are locked first. */
export function removeKeys(tx: Tx, { user_id }: EventOf<'user_deleted'>): Promise<void> {
  return deleteKeysOf(tx, user_id)
}

/** The payload of the job that writes authorized_keys; null if the changed settings don't affect the file. */
export function rewriteIfConcerned({ names }: EventOf<'settings_changed'>): object | null {
  return names.some((name) => /^authorized_keys_enabled$|_key_restriction$/.test(name)) ? {} : null
}
