/** The states of an account: which act of an administrator leads from which to which. One rule for the API and the pages. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User, UserState } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { isBlockedByDirectory } from '../identities/identities.ts'
import { updateUser } from './users.queries.ts'
import { keepAnAdministrator, loadLockedUser } from './writes.service.ts'

export type StateAct = 'approve' | 'block' | 'unblock' | 'deactivate' | 'activate' | 'ban' | 'unban'

interface Transition {
  from: readonly UserState[]
  to: UserState
  /** The failure for an account in another state. */
  refusal: (state: UserState) => Failure
}

const transitions: Record<StateAct, Transition> = {
  approve: {
    from: ['blocked_pending_approval'],
    to: 'active',
    refusal: () => new Failure('conflict', 'The user you are trying to approve is not pending approval'),
  },
  block: {
    from: ['active', 'deactivated', 'blocked_pending_approval'],
    to: 'blocked',
    refusal: (state) => new Failure('forbidden', `You cannot block ${state} users.`),
  },
  unblock: {
    from: ['blocked', 'blocked_pending_approval'],
    to: 'active',
    refusal: (state) => new Failure('forbidden', `You cannot unblock ${state} users.`),
  },
  deactivate: { from: ['active'], to: 'deactivated', refusal: () => forbidden('A blocked user cannot be deactivated') },
  activate: { from: ['deactivated'], to: 'active', refusal: () => forbidden('A blocked user must be unblocked to be activated') },
  ban: { from: ['active'], to: 'banned', refusal: (state) => new Failure('forbidden', `You cannot ban ${state} users.`) },
  unban: { from: ['banned'], to: 'active', refusal: (state) => new Failure('forbidden', `You cannot unban ${state} users.`) },
}

/** Acts that are told as refused where the account is so already; of the others clients hear that nothing was to be done. */
const strict: ReadonlySet<StateAct> = new Set(['approve', 'ban', 'unban'])

/**
 * False where the user was so already. Throws 403 for a state from which the act doesn't lead, for somebody whom a directory has blocked, for the
 * last administrator and, to deactivate, for somebody who was seen lately; 409 to approve somebody who doesn't wait for it.
 */
export function changeUserState(app: App, id: number, act: StateAct, at: Date = new Date()): Promise<boolean> {
  const { from, to, refusal } = transitions[act]
  return inTransaction(app.db, async (tx) => {
    if (to !== 'active') await keepAnAdministrator(tx, id)
    const user = await loadLockedUser(tx, id)
    await assertNotOfDirectory(tx, id)
    if (user.state === to && !strict.has(act)) return false
    if (!from.includes(user.state)) throw refusal(user.state)
    if (act === 'deactivate' && !isDormant(user, at)) throw forbidden(`The user has been active in the past ${dormantAfter_days} days`)
    return setUserState(tx, id, to)
  })
}

/** After so many days without a sign of its user an account may be deactivated. */
const dormantAfter_days = 90

export function isDormant({ last_activity_on, current_sign_in_at }: User, at: Date): boolean {
  const edge = new Date(at.getTime() - dormantAfter_days * 24 * 60 * 60 * 1_000).toISOString()
  return (last_activity_on ?? '') <= edge.slice(0, 10) && (current_sign_in_at ?? '') <= edge
}

/** The directory would undo it at its next look. */
async function assertNotOfDirectory(tx: Tx, id: number): Promise<void> {
  if (await isBlockedByDirectory(tx, id))
    throw forbidden('The user is blocked by the directory (LDAP), and unblocked when they are back there')
}

/** Part of a transaction, with what follows. False where the user was so already. */
export async function setUserState(tx: Tx, id: number, state: UserState): Promise<boolean> {
  const before = await loadLockedUser(tx, id)
  if (before.state === state) return false
  await updateUser(tx, id, { state, updated_at: now() })
  if (state !== 'active') await publish(tx, { type: 'user_blocked', user_id: id, state })
  else if (before.state !== 'active') await publish(tx, { type: 'user_unblocked', user_id: id, before: before.state })
  return true
}
