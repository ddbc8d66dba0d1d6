/** The rules of invitations: who is invited, and what becomes of it. */
import { findGroup, findProject } from '../../../access/find.ts'
import { countInvitation } from '../../../access/passwords/rate-limit.ts'
import { may } from '../../../access/permissions.ts'
import { mayAct } from '../../../access/states.ts'
import { digestOf } from '../../../access/tokens.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Day, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { Failure, notFound, nullIfMissing, plainWords } from '../../../failure.ts'
import { managers } from '../../../http/declare/places.ts'
import { newSecret } from '../../people/sessions/sessions.ts'
import { emailError, holderOfAddress, readEmail, usersByAddress } from '../../people/users/users.ts'
import { addMember, assertKnownLevel, enrol, findMember, lockPlace, type Place } from '../members/members.ts'
import {
  countInvitations,
  deleteEndedInvitations,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  invitationByDigest,
  type SentInvitation,
  updateInvitation,
} from './invitations.queries.ts'

/** The membership that accepting an invitation gives. */
export interface Terms {
  access_level: number
  expires_at: Day | null
}

/** How long a link is good. */
export const lifeOfInvitation_days = 90

/** Limit of a project or group, so that no list of invitations grows without end. */
const maxOpen = 500

/** Names what was sealed for invitations: nothing else opens it. */
const purpose = 'invitations.sealed_token'

/**
 * Invites each address. Who has an account with it gets the same message as others, as nobody learns whose address it is; but where
 * the inviter may know, that user is added at once. Throws 400 for a level that can't be.
 * @returns why an address was not invited, by the address as it was sent
 */
export async function invite(app: App, place: Place, by: User, terms: Terms, emails: readonly string[]): Promise<Record<string, string>> {
  assertKnownLevel(place, terms.access_level)
  const refused: Record<string, string> = {}
  for (const sent of emails) {
    const reason = await refusalOf(() => inviteOne(app, place, by, terms, readEmail(sent)))
    if (reason !== null) refused[sent] = reason
  }
  return refused
}

/** Adds users by their ids, as `invite` does by addresses: what one of them is refused for keeps nobody else out. */
export async function enrolByIds(app: App, place: Place, terms: Terms, ids: readonly number[]): Promise<Record<string, string>> {
  assertKnownLevel(place, terms.access_level)
  const refused: Record<string, string> = {}
  for (const user_id of ids) {
    const reason = await refusalOf(() => addMember(app, place, { user_id, ...terms }))
    if (reason !== null) refused[String(user_id)] = reason
  }
  return refused
}

async function refusalOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return plainWords(error)
    throw error
  }
}

async function inviteOne(app: App, place: Place, by: User, terms: Terms, email: string): Promise<void> {
  const problem = emailError(email)
  if (problem !== null) throw new Failure('invalid', `Invite email ${problem}`)
  const known = (await usersByAddress(app.db, by, [email])).get(email)
  if (known && known.id === (await holderOfAddress(app.db, email)))
    return void (await addMember(app, place, { user_id: known.id, ...terms }))
  if (app.mailer === null) throw new Failure('forbidden', 'This server sends no mail.')
  await countInvitation(app.db, { user_id: by.id, email })
  const token = newSecret()
  try {
    await inTransaction(app.db, async (tx) => {
      await lockPlace(tx, place)
      await deleteEndedInvitations(tx, now(), place)
      if ((await countInvitations(tx, place)) >= maxOpen) throw new Failure('invalid', `There are ${maxOpen} open invitations already`)
      const id = await insertInvitation(tx, {
        project_id: null,
        namespace_id: null,
        ...place,
        ...terms,
        email,
        token_digest: digestOf(token),
        sealed_token: app.secrets.seal(token, purpose),
        created_by_id: by.id,
        created_at: now(),
        ends_at: endOfLink(),
      })
      await publish(tx, { type: 'invitation_sent', place, invitation_id: id, email, ...terms })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure('conflict', 'Invite email has already been taken', { cause: error }) : error
  }
}

function endOfLink(): string {
  return new Date(Date.now() + lifeOfInvitation_days * 24 * 3_600_000).toISOString()
}

/** Throws 404 where the address isn't invited. */
export async function getInvitation(app: App, place: Place, email: string): Promise<SentInvitation> {
  const found = await findInvitation(app.db, place, readEmail(email))
  if (!found) throw notFound('Invitation')
  return found
}

/** Fields that are not given stay as they are. Throws 400 for a level that can't be, 404 where it is gone. */
export async function changeInvitation(app: App, invitation: SentInvitation, change: Partial<Terms>): Promise<SentInvitation> {
  const changed = { ...invitation, ...change }
  assertKnownLevel(placeOf(invitation), changed.access_level)
  await inTransaction(app.db, async (tx) => {
    const { access_level, expires_at } = changed
    if (!(await updateInvitation(tx, invitation.id, { access_level, expires_at }))) throw notFound('Invitation')
    await tell(tx, 'invitation_changed', changed)
  })
  return changed
}

/** Sends the message again in the name of `by`. The link stays the same, and is valid for as long as a new one. */
export async function sendAgain(app: App, invitation: SentInvitation, by: User): Promise<void> {
  if (app.mailer === null) throw new Failure('forbidden', 'This server sends no mail.')
  await countInvitation(app.db, { user_id: by.id, email: invitation.email })
  await inTransaction(app.db, async (tx) => {
    if (!(await updateInvitation(tx, invitation.id, { ends_at: endOfLink(), created_by_id: by.id }))) throw notFound('Invitation')
    await tell(tx, 'invitation_sent', invitation)
  })
}

/** Withdrawn by those who manage the place, or declined by who has the link. */
export async function removeInvitation(app: App, invitation: SentInvitation): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await deleteInvitation(tx, invitation.id))) throw notFound('Invitation')
    await tell(tx, 'invitation_removed', invitation)
  })
}

/**
 * Throws 404 for a link that is unknown, used or expired, or whose sender may no longer invite there. The error is always the same, so that
 * it reveals nothing about the place.
 */
export async function invitationByToken({ db }: { db: Db }, token: string): Promise<SentInvitation> {
  const found = await invitationByDigest(db, digestOf(token))
  if (!found || !(await maySenderInvite(db, found))) return gone()
  return found
}

/** Checked when a link is used: otherwise a removed member could have left a way back in. */
async function maySenderInvite(db: Db, { created_by_id, project_id, namespace_id }: SentInvitation): Promise<boolean> {
  const sender = created_by_id === null ? null : await userById(db, created_by_id)
  if (!sender || !mayAct(sender)) return false
  const place = project_id === null ? findGroup(db, String(namespace_id), sender) : findProject(db, String(project_id), sender)
  const access = await place.catch(nullIfMissing)
  return access !== null && may(managers[project_id === null ? 'group' : 'project'], access.level)
}

/**
 * The user becomes a member. Of two who accept at once, one does. Who is a member already stays what they are, and the invitation has
 * done its work.
 * @returns whether the user is a new member
 */
export async function acceptInvitation(app: App, token: string, user: User): Promise<boolean> {
  const invitation = await invitationByToken(app, token)
  const place = placeOf(invitation)
  return inTransaction(app.db, async (tx) => {
    await lockPlace(tx, place)
    // Read again: the level may have been changed until now.
    const { id, access_level, expires_at } = await invitationByToken({ db: tx }, token)
    if (!(await deleteInvitation(tx, id))) gone()
    if (await findMember(tx, place, user.id)) return false
    await enrol(tx, place, { user_id: user.id, access_level, expires_at }, 'own')
    return true
  })
}

function gone(): never {
  throw new Failure('not_found', 'This invitation has ended, was withdrawn, or was accepted before.')
}

/** Opens the secret at the end of an invitation's URL, for its mail alone. */
export function openToken({ secrets }: Pick<App, 'secrets'>, sealed: string): string {
  return secrets.unseal(sealed, purpose)
}

function placeOf({ project_id, namespace_id }: Pick<SentInvitation, 'project_id' | 'namespace_id'>): Place {
  if (project_id !== null) return { project_id }
  if (namespace_id !== null) return { namespace_id }
  throw new Error('an invitation to no place')
}

function tell(
  tx: Tx,
  type: EventOf<'invitation_sent' | 'invitation_changed' | 'invitation_removed'>['type'],
  invitation: SentInvitation,
): Promise<void> {
  const { id, email, access_level, expires_at } = invitation
  return publish(tx, { type, place: placeOf(invitation), invitation_id: id, email, access_level, expires_at })
}
