/** SQL for stars and their counts. */
import { type Db, lockedRows } from '../../../db/database.ts'

/** False if the user had starred it already. */
export async function insertStar(db: Db, projectId: number, userId: number, at: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('project_stars')
    .values({ project_id: projectId, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False if the user had not starred it. */
export async function deleteStar(db: Db, projectId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_stars')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function addStars(db: Db, projectId: number, count: 1 | -1): Promise<void> {
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '+', count) }))
    .where('id', '=', projectId)
    .execute()
}

/** Removes all stars of a user who is being deleted. */
export async function deleteStarsOf(db: Db, userId: number): Promise<void> {
  const starred = db.selectFrom('project_stars').select('project_id').where('user_id', '=', userId)
  // Starring and unstarring lock the project, so the stars counted here are those that are deleted below.
  await lockedRows(db, db.selectFrom('projects').select('id').where('id', 'in', starred).orderBy('id')).execute()
  await db
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where('id', 'in', starred)
    .execute()
  await db.deleteFrom('project_stars').where('user_id', '=', userId).execute()
}

export async function hasStarred(db: Db, projectId: number, userId: number): Promise<boolean> {
  const query = db.selectFrom('project_stars').select('user_id').where('project_id', '=', projectId).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) !== undefined
}
