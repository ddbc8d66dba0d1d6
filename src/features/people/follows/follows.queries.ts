/** SQL for who follows whom. */
import { usersWhoMayAct } from '../../../access/states.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { UserInBrief } from '../users/users.ts'

/** False where they follow the user already. */
export async function insertFollow(db: Db, follower_id: number, followed_id: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('user_follows')
    .values({ follower_id, followed_id, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False where they did not follow the user. */
export async function deleteFollow(db: Db, follower_id: number, followed_id: number): Promise<boolean> {
  const found = db.deleteFrom('user_follows').where('follower_id', '=', follower_id).where('followed_id', '=', followed_id)
  return (await found.executeTakeFirst()).numDeletedRows > 0n
}

export async function isFollowing(db: Db, follower_id: number, followed_id: number): Promise<boolean> {
  const found = db.selectFrom('user_follows').select('follower_id').where('follower_id', '=', follower_id)
  return (await found.where('followed_id', '=', followed_id).executeTakeFirst()) !== undefined
}

/** The active users who follow this one, or whom this one follows; the newest first. */
export function listFollows(
  db: Db,
  userId: number,
  part: 'followers' | 'following',
  page: PageOf,
): Promise<{ rows: UserInBrief[]; total: number }> {
  const [own, other] = part === 'followers' ? (['followed_id', 'follower_id'] as const) : (['follower_id', 'followed_id'] as const)
  const query = db
    .selectFrom('user_follows')
    .innerJoin('users', 'users.id', `user_follows.${other}`)
    .select(['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .where(`user_follows.${own}`, '=', userId)
    .where(usersWhoMayAct())
  return paginate(query.orderBy('user_follows.created_at', 'desc').orderBy('users.id', 'desc'), page)
}
