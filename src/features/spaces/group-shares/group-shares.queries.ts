/** SQL for the shares of projects and groups with groups. */
import type { ExpressionBuilder } from 'kysely'
import { notExpired } from '../../../access/members.ts'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { now, today } from '../../../db/instants.ts'
import type { Day, GroupShare, Tables } from '../../../db/tables.ts'

/** The shared place: a project, or a group with everything below it. */
export type SharedPlace = { project_id: number } | { namespace_id: number }

export type Share = Pick<GroupShare, 'id' | 'group_id' | 'access_level' | 'expires_at' | 'created_at'>

const columns = ['id', 'group_id', 'access_level', 'expires_at', 'created_at'] as const

/** Fails on a unique index if it is already shared with the group. */
export function insertShare(db: Db, place: SharedPlace, share: Omit<Share, 'id' | 'created_at'>): Promise<Share> {
  return db
    .insertInto('group_shares')
    .values({ project_id: null, namespace_id: null, ...place, ...share, created_at: now() })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

function isOf(place: SharedPlace, groupId: number) {
  return (eb: ExpressionBuilder<Tables, 'group_shares'>) =>
    eb.and([
      eb('group_shares.group_id', '=', groupId),
      'project_id' in place
        ? eb('group_shares.project_id', '=', place.project_id)
        : eb('group_shares.namespace_id', '=', place.namespace_id),
    ])
}

export async function findShare(db: Db, place: SharedPlace, groupId: number): Promise<Share | null> {
  const found = db.selectFrom('group_shares').select(columns).where(isOf(place, groupId))
  return (await found.where(notExpired(today(), 'group_shares')).executeTakeFirst()) ?? null
}

export async function deleteShare(db: Db, place: SharedPlace, groupId: number): Promise<void> {
  await db.deleteFrom('group_shares').where(isOf(place, groupId)).execute()
}

/** False if it is no longer shared with the group. */
export async function updateShare(
  db: Db,
  place: SharedPlace,
  groupId: number,
  change: Pick<Share, 'access_level' | 'expires_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('group_shares').set(change).where(isOf(place, groupId)).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes all expired shares. */
export async function deleteExpiredShares(db: Db): Promise<void> {
  await db
    .deleteFrom('group_shares')
    .where((eb) => eb.not(notExpired(today(), 'group_shares')))
    .execute()
}

/** Removes the share of this place with this group if it has expired. */
export async function deleteIfExpired(db: Db, place: SharedPlace, groupId: number): Promise<void> {
  const share = db.deleteFrom('group_shares').where(isOf(place, groupId))
  await share.where((eb) => eb.not(notExpired(today(), 'group_shares'))).execute()
}

export interface SharedWith {
  group_id: number
  group_name: string
  group_full_path: string
  group_access_level: number
  expires_at: Day | null
}

/** The groups that this group is shared with, limited to those that the viewer can see. */
export function groupsSharing(db: Db, viewer: Viewer, namespaceId: number): Promise<SharedWith[]> {
  return listShares(db, viewer, { namespace_id: namespaceId })
}

/** The groups that a project or group is shared with, limited to those that the viewer can see. */
export function listShares(db: Db, viewer: Viewer, place: SharedPlace): Promise<SharedWith[]> {
  return db
    .selectFrom('group_shares')
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.group_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select([
      'group_shares.group_id',
      'namespaces.name as group_name',
      'routes.path as group_full_path',
      'group_shares.access_level as group_access_level',
      'group_shares.expires_at',
    ])
    .where((eb) =>
      'project_id' in place
        ? eb('group_shares.project_id', '=', place.project_id)
        : eb('group_shares.namespace_id', '=', place.namespace_id),
    )
    .where(notExpired(today(), 'group_shares'))
    .where(groupsVisibleTo(viewer))
    .orderBy('group_shares.id')
    .execute()
}
