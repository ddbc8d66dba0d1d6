/** Public keys: who signs in with one, and which ones may. */
import { fingerprintsOf, type PublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { now } from '../../db/instants.ts'
import type { SshKey, User } from '../../db/tables.ts'
import { readSettings, type Settings } from '../settings/settings.service.ts'
import { keyByFingerprint, setLastUsed } from './keys.queries.ts'

/** Who comes with a key: its user, or the projects of a deploy key, for which `user` made it. */
export interface KeyHolder {
  key: SshKey
  user: User | null
}

/** Whose key this is, if it may be used; null otherwise. */
export async function findKeyHolder(app: App, key: PublicKey): Promise<KeyHolder | null> {
  const found = await keyByFingerprint(app.db, fingerprintsOf(key.blob).sha256)
  if (!found || complaintOf(await readSettings(app.db), key) !== null) return null
  const { row, user } = found
  if (row.kind === 'user' && user?.state !== 'active') return null
  return { key: row, user }
}

const useIsNoted_ms = 60_000

/** Notes that somebody has signed in with the key; at most once a minute, and never at the price of the sign-in. */
export async function noteUse(app: App, { id, last_used_at }: SshKey): Promise<void> {
  if (last_used_at !== null && Date.now() - Date.parse(last_used_at) < useIsNoted_ms) return
  await setLastUsed(app.db, id, now()).catch((error: unknown) => app.log.warn({ err: error, key: id }, 'the use of a key was not noted'))
}

/** Shorter RSA keys than OpenSSH takes. */
const leastRsa_bits = 1024

/** What is wrong with a key by the settings of the instance and by what is known today; null when nothing is. */
export function complaintOf(settings: Settings, { family, bits }: PublicKey): string | null {
  const least = settings[`${family}_key_restriction`]
  const name = { rsa: 'RSA', dsa: 'DSA', ecdsa: 'ECDSA', ed25519: 'ED25519' }[family]
  if (least === -1) return `type is forbidden. ${name} keys are not allowed`
  if (bits < least) return `length must be at least ${least} bits for ${name} keys`
  if (family === 'dsa') return 'type is too weak: nobody accepts DSA keys any more'
  if (family === 'rsa' && bits < leastRsa_bits) return `length is too weak: RSA keys need at least ${leastRsa_bits} bits`
  return null
}
