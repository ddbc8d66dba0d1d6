/** SQL for locks of files. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant } from '../../../db/tables.ts'

export interface OwnedLock {
  id: number
  path: string
  created_at: Instant
  user_id: number
  user_name: string
}

export interface LockFilter {
  path?: string | undefined
  id?: number | undefined
  /** Only those with a greater id. */
  after?: number | undefined
}

function locks(db: Db, project_id: number) {
  return db
    .selectFrom('lfs_locks')
    .innerJoin('users', 'users.id', 'lfs_locks.user_id')
    .select(['lfs_locks.id', 'lfs_locks.path', 'lfs_locks.created_at', 'lfs_locks.user_id', 'users.name as user_name'])
    .where('lfs_locks.project_id', '=', project_id)
}

/** In order of creation. */
export function selectLocks(db: Db, project_id: number, { path, id, after }: LockFilter, limit: number): Promise<OwnedLock[]> {
  let query = locks(db, project_id)
  if (path !== undefined) query = query.where('lfs_locks.path', '=', path)
  if (id !== undefined) query = query.where('lfs_locks.id', '=', id)
  if (after !== undefined) query = query.where('lfs_locks.id', '>', after)
  return query.orderBy('lfs_locks.id').limit(limit).execute()
}

/** False if the path is already locked. */
export async function insertLock(db: Db, project_id: number, path: string, user_id: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('lfs_locks')
    .values({ project_id, path, user_id, created_at: now() })
    .onConflict((conflict) => conflict.columns(['project_id', 'path']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False if it was already deleted. */
export async function deleteLock(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('lfs_locks').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
