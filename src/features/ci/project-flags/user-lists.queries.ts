/** SQL for the lists of users that strategies of feature flags name. */
import type { Insertable, Updateable } from 'kysely'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { FlagUserList, FlagUserListTable } from '../../../db/tables.ts'

/** The oldest first. */
export function listUserLists(
  db: Db,
  project_id: number,
  words: string | undefined,
  page: PageOf,
): Promise<{ rows: FlagUserList[]; total: number }> {
  const all = db.selectFrom('flag_user_lists').selectAll().where('project_id', '=', project_id)
  return paginate((words ? all.where(contains('name', words)) : all).orderBy('id'), page)
}

export async function userListAt(db: Db, project_id: number, iid: number): Promise<FlagUserList | null> {
  const found = db.selectFrom('flag_user_lists').selectAll().where('project_id', '=', project_id).where('iid', '=', iid)
  return (await found.executeTakeFirst()) ?? null
}

/** Whether the project has a list of this id. */
export async function hasUserList(db: Db, project_id: number, id: number): Promise<boolean> {
  const found = db.selectFrom('flag_user_lists').select('id').where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) !== undefined
}

/** Fails on a unique index where the name is taken. */
export function insertUserList(db: Db, row: Insertable<FlagUserListTable>): Promise<FlagUserList> {
  return db.insertInto('flag_user_lists').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null where it has been deleted meanwhile. */
export async function updateUserList(db: Db, id: number, changes: Updateable<FlagUserListTable>): Promise<FlagUserList | null> {
  return (await db.updateTable('flag_user_lists').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function isUsed(db: Db, id: number): Promise<boolean> {
  return (await db.selectFrom('flag_strategies').select('id').where('user_list_id', '=', id).limit(1).executeTakeFirst()) !== undefined
}

export async function deleteUserList(db: Db, id: number): Promise<boolean> {
  return (await db.deleteFrom('flag_user_lists').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
