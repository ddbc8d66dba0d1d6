/**
 * Impersonation: an administrator acts as a user for a while, in a session that is marked as such, and then as themselves again. A separate
 * session replaces that of the administrator: if the user of a session changed, whoever had seen its secret would get the rights of the
 * other user; with two cookies, a form could be sent as either.
 */
import { randomBytes } from 'node:crypto'
import { digestOfSession, endOf } from '../../../access/sessions.ts'
import { mayAct } from '../../../access/states.ts'
import { passwordHasExpired, requireUser } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden } from '../../../failure.ts'
import { deleteSession, insertSession, lockSession, type SessionRow } from './sessions.queries.ts'

/** The reason why nobody can act as this user, as a sentence; null if it is possible. */
export function impersonationError(administrator: Pick<User, 'id'>, user: User): string | null {
  if (user.id === administrator.id) return 'You are signed in as this user already.'
  if (user.kind !== 'human') return 'Nobody signs in as this user.'
  if (!mayAct(user)) return 'You cannot impersonate a user who is blocked, deactivated or waiting for approval.'
  return passwordHasExpired(user) ? 'You cannot impersonate a user whose password has expired.' : null
}

/**
 * Replaces the session of the administrator by one as the user, and returns its secret. Throws 403 if the administrator may not act
 * as this user, or acts as somebody already.
 */
export async function startImpersonation(app: App, administrator: User, user: User, digest: string): Promise<string> {
  const { secret } = await replace(
    app,
    digest,
    (session) => {
      const refusal = impersonationError(administrator, user)
      if (refusal !== null) throw forbidden(refusal)
      if (session.impersonator_id !== null || session.user_id !== administrator.id || !administrator.admin) throw forbidden()
      return { user_id: user.id, impersonator_id: administrator.id }
    },
    (tx) => publish(tx, { type: 'impersonation_started', administrator, user }),
  )
  app.log.info({ impersonation: { by: administrator.username, as: user.username } }, 'impersonation: started')
  return secret
}

/** Returns to a session of the administrator, and returns its secret. Throws 403 for a session without an impersonator. */
export async function stopImpersonation(app: App, user: User, digest: string): Promise<string> {
  const { secret, result: by } = await replace(
    app,
    digest,
    ({ impersonator_id }) => {
      if (impersonator_id === null) throw forbidden()
      return { user_id: impersonator_id, impersonator_id: null }
    },
    async (tx, { user_id }) => {
      const administrator = await requireUser(tx, user_id)
      await publish(tx, { type: 'impersonation_stopped', administrator, user })
      return administrator
    },
  )
  app.log.info({ impersonation: { by: by.username, as: user.username } }, 'impersonation: stopped')
  return secret
}

type Acting = Pick<SessionRow, 'user_id' | 'impersonator_id'>

/** A change of the user also changes the secret, so that someone who saw the old one gets no access to the new session. */
async function replace<T>(
  app: App,
  digest: string,
  change: (session: SessionRow) => Acting,
  then: (tx: Tx, acting: Acting) => Promise<T>,
): Promise<{ secret: string; result: T }> {
  const secret = randomBytes(32).toString('base64url')
  const result = await inTransaction(app.db, async (tx) => {
    const session = await lockSession(tx, digest)
    if (!session || session.expires_at <= now()) throw forbidden('Your session has ended. Sign in again.')
    await deleteSession(tx, digest)
    const changed = change(session)
    await insertSession(tx, { ...session, ...changed, digest: digestOfSession(secret), expires_at: endOf(session.lasts_min) })
    return then(tx, changed)
  })
  return { secret, result }
}
