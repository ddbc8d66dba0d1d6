/** Enqueues mail about members, in the transaction of the event. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { memberMailJob } from './member-mails.jobs.ts'

export async function mailOfMembership(tx: Tx, { place, user_id, how }: EventOf<'member_added'>, { mail }: Site): Promise<void> {
  if (mail !== null && how !== 'own') await enqueue(tx, memberMailJob, { news: how, place, user_id, at: now() })
}

export async function mailOfRequest(tx: Tx, { place, user_id, at }: EventOf<'access_requested'>, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, memberMailJob, { news: 'requested', place, user_id, at })
}

export async function mailOfDenial(tx: Tx, { place, user_id, at }: EventOf<'access_denied'>, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, memberMailJob, { news: 'denied', place, user_id, at })
}
