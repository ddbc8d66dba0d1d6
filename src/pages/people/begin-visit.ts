/** The beginning of a session, however its user has shown who they are. */
import type { User } from '../../db/tables.ts'
import { assertMayBegin, beginSession, endSession } from '../../features/people/sessions/sessions.ts'
import { ownAddress } from '../frame/addresses.ts'
import type { Outcome, Visit } from '../frame/declaration.ts'

/** Leads back to where the user came from, signed in. Throws 403 for an account that is blocked. */
export async function beginVisit(
  { app, ip, agent, session_digest }: Pick<Visit, 'app' | 'ip' | 'agent' | 'session_digest'>,
  user: User,
  return_to: string | undefined,
): Promise<Outcome> {
  await assertMayBegin(app, user)
  if (session_digest !== null) await endSession(app.db, session_digest)
  return { session: await beginSession(app, user, { address: ip, agent }), redirect: ownAddress(return_to) ?? '/' }
}
