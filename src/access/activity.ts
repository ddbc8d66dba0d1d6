/** When users were last seen: the day alone, so that it costs each of them one write a day. */
import type { Db } from '../db/database.ts'
import { today } from '../db/instants.ts'
import type { User } from '../db/tables.ts'

/**
 * Notes that the user is here today, by whatever road: the API, git, or a page. Who can't be noted, because the disk is full,
 * may still do what he came for.
 */
export async function noteActivity(db: Db, user: Pick<User, 'id' | 'state' | 'last_activity_on'>): Promise<void> {
  const day = today()
  if (user.state !== 'active' || (user.last_activity_on !== null && user.last_activity_on >= day)) return
  await db
    .updateTable('users')
    .set({ last_activity_on: day })
    .where('id', '=', user.id)
    // Of the many requests of one morning the first has done it.
    .where((eb) => eb.or([eb('last_activity_on', 'is', null), eb('last_activity_on', '<', day)]))
    .execute()
    .catch(() => {})
}
