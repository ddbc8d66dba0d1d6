/** What SSH keys do when something happens elsewhere. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { deleteKeysOf } from './keys.queries.ts'

/** They would go with the row of the user, but only after the job is locked: those who remove a key lock the key first. */
export function removeKeys(tx: Tx, { user_id }: EventOf<'user_deleted'>): Promise<void> {
  return deleteKeysOf(tx, user_id)
}

/** The payload of the job that writes authorized_keys; null if neither the file nor what may stand in it is concerned. */
export function rewriteIfConcerned({ names }: EventOf<'settings_changed'>): object | null {
  return names.some((name) => /^authorized_keys_enabled$|_key_restriction$/.test(name)) ? {} : null
}
