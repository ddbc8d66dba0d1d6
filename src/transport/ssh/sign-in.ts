/** SSH authentication by public key: offers without a signature first, then a signature. */
import type { AuthContext, Connection, PublicKeyAuthContext } from 'ssh2'
import { fingerprintsOf, hasSigned, type PublicKey, readPublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/storage-failure.ts'
import { Failure } from '../../failure.ts'
import { findKeyHolder, type KeyHolder } from '../../features/people/keys/keys.ts'
import type { SshLimits } from './limits.ts'

/** The only accepted username: the key identifies the user. */
const userName = 'git'

/**
 * Checks every attempt until one succeeds, and passes on its key. Agents offer all their keys, so more offers are allowed than wrong
 * signatures; beyond either limit the connection is closed. While the database is unavailable, any key is accepted with a null holder:
 * authentication can't report the reason, but the command can, and it looks the key up again anyway.
 */
export function authenticateClient(
  app: App,
  connection: Connection,
  { address, limits }: { address: string; limits: SshLimits },
  onRight: (key: PublicKey, holder: KeyHolder | null) => void,
): void {
  const left = { offers: limits.offers, refusals: limits.refusals }
  const decide = async (attempt: AuthContext): Promise<void> => {
    const found = await checkAttempt(app, attempt, address).catch((error: unknown) => {
      app.log.error({ err: error, address }, 'SSH: authentication could not be checked')
      return null
    })
    const offered = attempt.method === 'none' || (attempt.method === 'publickey' && !attempt.signature)
    if (found) {
      if (offered) nameAlgorithm(attempt as RsaAttempt)
      else onRight(found.key, found.holder)
      return attempt.accept()
    }
    left[offered ? 'offers' : 'refusals'] -= 1
    if (left.offers > 0 && left.refusals > 0) return attempt.reject(['publickey'])
    app.log.info({ address, user: attempt.username }, 'SSH: authentication failed, too many attempts')
    connection.end()
  }
  connection.on('authentication', (attempt) => {
    // The connection may have ended meanwhile.
    decide(attempt).catch((error: unknown) => app.log.debug({ err: error, address }, 'SSH: could not reply to an authentication attempt'))
  })
}

/** Missing in the types of the library: the hash of an RSA signature; undefined for SHA-1 and for other keys. */
type RsaAttempt = PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }

/**
 * The reply to an offer must name the algorithm of the offer. The library would name the type of the key, and dropbear would then sign with
 * SHA-1.
 */
function nameAlgorithm({ key, hashAlgo }: RsaAttempt): void {
  if (hashAlgo) key.algo = hashAlgo === 'sha256' ? 'rsa-sha2-256' : 'rsa-sha2-512'
}

/** The key and its holder. Null if the key is unknown or the signature is wrong. */
async function checkAttempt(app: App, attempt: AuthContext, address: string): Promise<{ key: PublicKey; holder: KeyHolder | null } | null> {
  if (attempt.username !== userName || attempt.method !== 'publickey') return null
  const { key: sent, signature, blob, hashAlgo } = attempt as RsaAttempt
  const key = readPublicKey(sent.data)
  if (key?.type !== sent.algo) return null
  // An offer with SHA-1 is rejected at once: the client may have another key.
  if (key.type === 'ssh-rsa' && hashAlgo === undefined) return null
  const proved = !signature || (blob !== undefined && hasSigned(key, { hash: hashAlgo ?? null, bytes: signature, signed: blob }))
  const holder = proved ? await findKeyHolder(app, key).catch(unavailable) : null
  if (holder === 'unavailable') return { key, holder: null }
  if (!holder) {
    const fields = { address, fingerprint: fingerprintsOf(key.blob).sha256, type: key.type }
    if (proved) app.log.debug(fields, 'SSH: unknown key offered')
    else app.log.warn(fields, 'SSH: wrong signature for a key')
  }
  return holder && { key, holder }
}

function unavailable(error: unknown): 'unavailable' {
  const known = asStorageFailure(error)
  if (known instanceof Failure && known.code === 'database_unavailable') return 'unavailable'
  throw error
}
