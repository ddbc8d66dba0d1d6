/** SQL for the parts that groups have in projects. */
import { notExpired } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { now, today } from '../../../db/instants.ts'
import type { GroupShare } from '../../../db/tables.ts'

/** Fails on a unique index when the group has a part already. */
export function insertShare(db: Db, share: Omit<GroupShare, 'id' | 'created_at'>): Promise<GroupShare> {
  return db
    .insertInto('group_shares')
    .values({ ...share, created_at: now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function findShare(db: Db, projectId: number, groupId: number): Promise<GroupShare | null> {
  const found = db.selectFrom('group_shares').selectAll().where('project_id', '=', projectId).where('group_id', '=', groupId)
  return (await found.where(notExpired(today(), 'group_shares')).executeTakeFirst()) ?? null
}

export async function deleteShare(db: Db, projectId: number, groupId: number): Promise<void> {
  await db.deleteFrom('group_shares').where('project_id', '=', projectId).where('group_id', '=', groupId).execute()
}

/** Removes what has run out: everywhere, or of this group in this project. */
export async function deleteExpiredShares(db: Db, only?: { project_id: number; group_id: number }): Promise<void> {
  const expired = db.deleteFrom('group_shares').where((eb) => eb.not(notExpired(today(), 'group_shares')))
  await (only ? expired.where('project_id', '=', only.project_id).where('group_id', '=', only.group_id) : expired).execute()
}

/** Whether the group is the namespace or stands above it. */
export async function standsAbove(db: Db, groupId: number, namespaceId: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors')
    .select('ancestor_id')
    .where('namespace_id', '=', namespaceId)
    .where('ancestor_id', '=', groupId)
    .executeTakeFirst()
  return found !== undefined
}
