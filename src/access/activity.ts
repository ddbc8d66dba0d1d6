/** The last activity of users, by day: one write per user and day. */
import type { Db } from '../db/database.ts'
import { today } from '../db/instants.ts'
import type { User } from '../db/tables.ts'
import { mayAct } from './states.ts'

/**
 * Records that the user is active today, over any protocol: the API, git, or a page. Never fails: with a full disk the request continues
 * without it.
 */
export async function noteActivity(db: Db, user: Pick<User, 'id' | 'state' | 'last_activity_on'>): Promise<void> {
  const day = today()
  if (!mayAct(user) || (user.last_activity_on !== null && user.last_activity_on >= day)) return
  await db
    .updateTable('users')
    .set({ last_activity_on: day })
    .where('id', '=', user.id)
    // Another concurrent request may have done it.
    .where((eb) => eb.or([eb('last_activity_on', 'is', null), eb('last_activity_on', '<', day)]))
    .execute()
    .catch(() => {})
}
