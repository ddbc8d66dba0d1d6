/** The choice of a user to hear of what is discussed, or not. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { chooseSubscription, isSubscribed } from '../../planning/issuables/issuables.ts'
import { columnOf, type Issuable } from '../noteables/noteables.ts'

/** False where it is so already. */
export function setSubscription(app: App, user: User, noteable: Issuable, subscribed: boolean): Promise<boolean> {
  const target = columnOf(noteable)
  return inTransaction(app.db, async (tx) => {
    if ((await isSubscribed(tx, user.id, target)) === subscribed) return false
    await chooseSubscription(tx, user.id, target, subscribed)
    return true
  })
}
