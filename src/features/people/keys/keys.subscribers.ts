/** What SSH keys do when something happens elsewhere. */
import type { EventOf } from '../../../domain-events/events.ts'

/** The payload of the job that writes authorized_keys; null if neither the file nor what may stand in it is concerned. */
export function rewriteIfConcerned({ names }: EventOf<'settings_changed'>): object | null {
  return names.some((name) => /^authorized_keys_enabled$|_key_restriction$/.test(name)) ? {} : null
}
