/** Sign-ins between the correct password and the second factor. They give no access, and expire soon. */
import { randomBytes } from 'node:crypto'
import { digestOfSession } from '../../../access/sessions.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { PendingSignIn, User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { beginSessionIn, newSecret, recordFailure, type SignInPlace } from '../sessions/sessions.ts'
import { isSignedByPasskey } from './passkeys.service.ts'
import { deletePending, findPending, insertPending } from './second-factor.queries.ts'
import { showsFactor } from './second-factor.service.ts'

/** How long users have to enter the factor. */
export const pendingLasts_s = 600

/** Starts one, and returns the value of its cookie, which is not stored. */
export async function openSignIn(app: App, user: Pick<User, 'id'>, then: { return_to: string; isRemembered: boolean }): Promise<string> {
  const secret = newSecret()
  await inTransaction(app.db, (tx) =>
    insertPending(tx, {
      digest: digestOfSession(secret),
      user_id: user.id,
      return_to: then.return_to,
      is_remembered: then.isRemembered,
      challenge: randomBytes(32).toString('base64url'),
      expires_at: new Date(Date.now() + pendingLasts_s * 1_000).toISOString(),
    }),
  )
  return secret
}

/** The sign-in of this cookie; null if it has ended. */
export function pendingSignIn(app: App, secret: string | null): Promise<PendingSignIn | null> {
  return secret === null ? Promise.resolve(null) : findPending(app.db, digestOfSession(secret))
}

interface Proof {
  code: string
  /** The passkey's signature, as JSON; empty if a code was typed. */
  credential: string
}

/**
 * The session that begins with the second factor. Throws 400 for a wrong code, 429 after too many, and 403 if the sign-in has ended
 * or the user has changed meanwhile.
 */
export async function finishSignIn(app: App, secret: string | null, proof: Proof, place: SignInPlace) {
  const pending = await pendingSignIn(app, secret)
  const user = pending && (await userById(app.db, pending.user_id))
  if (!pending || !user) throw signInHasEnded()
  const isRight =
    proof.credential === ''
      ? await showsFactor(app, { user, code: proof.code, address: place.address })
      : await isSignedByPasskey(app, user, proof.credential, pending.challenge)
  if (!isRight) {
    await recordFailure(app, { login: user.username, address: place.address, by: 'second_factor' })
    throw invalid(proof.credential === '' ? { code: ['is wrong, or was used before'] } : 'This passkey was not accepted.')
  }
  const session = await inTransaction(app.db, async (tx) => {
    const options = { isRemembered: pending.is_remembered, isProved: true }
    // The row of the user is locked first: a concurrent change of the password waits for it, and then ends pending sign-ins.
    const begun = await beginSessionIn(tx, user, place, options)
    if (!(await deletePending(tx, pending.digest))) throw signInHasEnded()
    return begun
  })
  return { session, return_to: pending.return_to, isRemembered: pending.is_remembered }
}

function signInHasEnded(): Failure {
  return new Failure('forbidden', 'Your sign-in has ended. Sign in again.')
}
