/** The choice of a user to be notified of a noteable, or not. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { type Issuable, keyOf } from '../../noteable-kinds.ts'
import { chooseSubscription, isSubscribed } from '../../planning/issuables/issuables.ts'

/** False if nothing changes. */
export function setSubscription(app: App, user: User, noteable: Issuable, subscribed: boolean): Promise<boolean> {
  const key = keyOf(noteable)
  return inTransaction(app.db, async (tx) => {
    if ((await isSubscribed(tx, user.id, key)) === subscribed) return false
    await chooseSubscription(tx, user.id, key, subscribed)
    return true
  })
}
