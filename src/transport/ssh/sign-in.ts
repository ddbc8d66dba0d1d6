/** Who signs in by which key: an offer without a signature first, then the proof. */
import type { AuthContext, Connection, PublicKeyAuthContext } from 'ssh2'
import { fingerprintsOf, hasSigned, type PublicKey, readPublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { asStorageFailure } from '../../db/database.ts'
import { Failure } from '../../failure.ts'
import { findKeyHolder, type KeyHolder } from '../../features/people/keys/keys.ts'
import type { SshLimits } from './limits.ts'

/** The only user there is: who somebody is, his key says. */
const userName = 'git'

/**
 * Judges every try until one is right, and calls back with its key. An agent offers all the keys it has, so offers are many
 * and wrong proofs few. Who has neither left is sent away. While the database is unavailable, a holder of any key may come in
 * as nobody (null): a sign-in can't tell the reason, the command can. It looks the key up again in any case.
 */
export function judgeSignIns(
  app: App,
  connection: Connection,
  { address, limits }: { address: string; limits: SshLimits },
  onRight: (key: PublicKey, holder: KeyHolder | null) => void,
): void {
  const left = { offers: limits.offers, refusals: limits.refusals }
  const decide = async (attempt: AuthContext): Promise<void> => {
    const found = await judge(app, attempt, address).catch((error: unknown) => {
      app.log.error({ err: error, address }, 'a sign-in over SSH failed')
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
    app.log.info({ address, user: attempt.username }, 'a client had no more tries to sign in over SSH')
    connection.end()
  }
  connection.on('authentication', (attempt) => {
    // The connection may have ended meanwhile.
    decide(attempt).catch((error: unknown) => app.log.debug({ err: error, address }, 'an answer to a sign-in was not sent'))
  })
}

/** Beside what the types of the library tell: what an RSA key signs with; undefined for SHA-1, and for other keys. */
type RsaAttempt = PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }

/** The answer to an offer names the algorithm of the offer; the library would name the kind of key, and dropbear then sign with SHA-1. */
function nameAlgorithm({ key, hashAlgo }: RsaAttempt): void {
  if (hashAlgo) key.algo = hashAlgo === 'sha256' ? 'rsa-sha2-256' : 'rsa-sha2-512'
}

/** Whose key it is. Null when the key or the signature is nobody's. */
async function judge(app: App, attempt: AuthContext, address: string): Promise<{ key: PublicKey; holder: KeyHolder | null } | null> {
  if (attempt.username !== userName || attempt.method !== 'publickey') return null
  const { key: sent, signature, blob, hashAlgo } = attempt as RsaAttempt
  const key = readPublicKey(sent.data)
  if (key?.type !== sent.algo) return null
  // An offer to sign with SHA-1 is refused before the client takes the trouble: it may have another key.
  if (key.type === 'ssh-rsa' && hashAlgo === undefined) return null
  const proved = !signature || (blob !== undefined && hasSigned(key, { hash: hashAlgo ?? null, bytes: signature, signed: blob }))
  const holder = proved ? await findKeyHolder(app, key).catch(unavailable) : null
  if (holder === 'unavailable') return { key, holder: null }
  if (!holder) {
    const said = { address, fingerprint: fingerprintsOf(key.blob).sha256, type: key.type }
    if (proved) app.log.debug(said, 'a key that opens nothing was offered over SSH')
    else app.log.warn(said, 'a key was offered over SSH with a wrong signature')
  }
  return holder && { key, holder }
}

function unavailable(error: unknown): 'unavailable' {
  const known = asStorageFailure(error)
  if (known instanceof Failure && known.code === 'database_unavailable') return 'unavailable'
  throw error
}
