/** Unsubscribes by the link of a message, without signing in: having the message suffices. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { notFound } from '../../../failure.ts'
import { chooseSubscription } from '../../planning/issuables/issuables.ts'
import { readUnsubscription } from '../outbox/outbox.ts'
import { type Subscribed, subscribedTo } from './unsubscribing.queries.ts'

/** The target of the link. Throws 404 if this instance sent no message with the key, and if the target is gone. */
export async function subscriptionOf(app: App, key: string): Promise<Subscribed> {
  const sent = readUnsubscription(app, key)
  const found = sent && (await subscribedTo(app.db, sent))
  if (!found) throw notFound('Subscription')
  return found
}

export async function unsubscribe(app: App, { user_id, on }: Subscribed): Promise<void> {
  await inTransaction(app.db, (tx) => chooseSubscription(tx, user_id, on, false))
}
