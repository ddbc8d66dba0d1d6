/** Unsubscribes by the link in a message: whoever has the message may, without signing in. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { notFound } from '../../../failure.ts'
import { chooseSubscription } from '../../planning/issuables/issuables.ts'
import { readUnsubscription } from '../outbox/outbox.ts'
import { type Subscribed, subscribedTo } from './unsubscribing.queries.ts'

/** What the link is about. Throws 404 for an invalid key, or if the target was deleted. */
export async function subscriptionOf(app: App, key: string): Promise<Subscribed> {
  const sent = readUnsubscription(app, key)
  const found = sent && (await subscribedTo(app.db, sent))
  if (!found) throw notFound('Subscription')
  return found
}

export async function unsubscribe(app: App, { user_id, on }: Subscribed): Promise<void> {
  await inTransaction(app.db, (tx) => chooseSubscription(tx, user_id, on, false))
}
