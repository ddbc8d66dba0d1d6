/** Completes a sign-in after the password, or its equivalent, was right: asks for the second factor, or begins the session. */
import type { User } from '../../db/tables.ts'
import { openSignIn } from '../../features/people/second-factor/second-factor.ts'
import { assertMayBegin, beginSession, endSession } from '../../features/people/sessions/sessions.ts'
import { ownAddress } from '../frame/addresses.ts'
import type { Outcome, Visit } from '../frame/declaration.ts'

/** A new session, or the page that asks for the second factor. Throws 403 for a blocked user. */
export async function signInOutcome(
  { app, ip, agent, session_digest }: Pick<Visit, 'app' | 'ip' | 'agent' | 'session_digest'>,
  user: User,
  { return_to: wanted, isRemembered = false }: { return_to: string | undefined; isRemembered?: boolean },
): Promise<Outcome> {
  const return_to = ownAddress(wanted) ?? '/'
  await assertMayBegin(app, user)
  if (user.two_factor_enabled)
    return { pending_sign_in: await openSignIn(app, user, { return_to, isRemembered }), redirect: '/users/sign_in/two_factor' }
  if (session_digest !== null) await endSession(app.db, session_digest)
  return { session: await beginSession(app, user, { address: ip, agent }, { isRemembered }), isRemembered, redirect: return_to }
}
