/** SQL for stars, and for how many a project has. */
import { type Db, lockedRows } from '../../../db/database.ts'

/** False where the user had starred it already. */
export async function insertStar(db: Db, projectId: number, userId: number, at: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('project_stars')
    .values({ project_id: projectId, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** False where the user had not starred it. */
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

/** Takes away every star of a user who is going. */
export async function deleteStarsOf(db: Db, userId: number): Promise<void> {
  const starred = db.selectFrom('project_stars').select('project_id').where('user_id', '=', userId)
  // Starring and unstarring lock the project: the stars counted here are those deleted later.
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
