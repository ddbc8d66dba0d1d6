/** SQL for lists of namespaces. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { accessLevels } from '../../access/levels.ts'
import { notExpired } from '../../access/members.ts'
import { levelFor } from '../../access/permissions.ts'
import { usersWhoMayAct } from '../../access/states.ts'
import { groupsOfMember, type Viewer } from '../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../db/database.ts'
import type { Namespace, Tables } from '../../db/tables.ts'

export interface LocatedNamespace extends Pick<Namespace, 'id' | 'name' | 'path' | 'kind' | 'parent_id' | 'owner_id' | 'avatar_name'> {
  full_path: string
}

function located(db: Db) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select([
      'namespaces.id',
      'namespaces.name',
      'namespaces.path',
      'namespaces.kind',
      'namespaces.parent_id',
      'namespaces.owner_id',
      'namespaces.avatar_name',
      'routes.path as full_path',
    ])
}

/** The avatars of these users, keyed by id. */
export async function avatarsOfOwners(db: Db, ids: number[]): Promise<Map<number, { id: number; avatar_name: string | null }>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('users').select(['id', 'avatar_name']).where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The given paths, in lower case, that belong to a namespace or a project. */
export async function takenPaths(db: Db, keys: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('routes').select('path_key').where('path_key', 'in', keys).execute()
  return new Set(rows.map(({ path_key }) => path_key))
}

/** Whether the path, in lower case, is that of a namespace. */
export async function isNamespace(db: Db, key: string): Promise<boolean> {
  const found = await db
    .selectFrom('routes')
    .select('path_key')
    .where('path_key', '=', key)
    .where('namespace_id', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

/** Groups of which the user is a direct member with at least this level, without their subgroups. For a query over `namespaces`. */
export function groupsJoined(userId: number, minLevel: number = accessLevels.guest) {
  return (eb: ExpressionBuilder<Tables, 'namespaces'>): Expression<SqlBool> => {
    const memberships = (eb as ExpressionBuilder<Tables, never>)
      .selectFrom('members')
      .select('members.namespace_id')
      .where('members.user_id', '=', userId)
      .where('members.namespace_id', 'is not', null)
      .where('members.access_level', '>=', minLevel)
      .where(notExpired())
    return eb('namespaces.id', 'in', memberships)
  }
}

/** All for administrators; for others their own one, and the groups with a direct membership. */
export function listNamespaces(
  db: Db,
  viewer: NonNullable<Viewer>,
  search: string | undefined,
  page: PageOf,
): Promise<{ rows: LocatedNamespace[]; total: number }> {
  let query = located(db)
  if (!viewer.admin) query = query.where((eb) => eb.or([eb('namespaces.owner_id', '=', viewer.id), groupsJoined(viewer.id)(eb)]))
  if (search) query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  return paginate(query.orderBy('namespaces.id'), page)
}

/**
 * Namespaces in which the user may create projects: their own first, then the groups that they maintain directly or through a group above.
 */
export function listCreatable(db: Db, user: NonNullable<Viewer>, limit: number): Promise<LocatedNamespace[]> {
  return located(db)
    .where((eb) => eb.or([eb('namespaces.owner_id', '=', user.id), groupsOfMember(user.id, levelFor('create_projects'))(eb)]))
    .where('namespaces.archived', '=', false)
    .orderBy((eb) => eb.case().when('namespaces.owner_id', '=', user.id).then(0).else(1).end())
    .orderBy('routes.path_key')
    .limit(limit)
    .execute()
}

/** The given groups that the viewer owns directly or through a group above. */
export async function ownedAmong(db: Db, viewer: NonNullable<Viewer>, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  let query = db.selectFrom('namespaces').select('namespaces.id').where('namespaces.kind', '=', 'group').where('namespaces.id', 'in', ids)
  if (!viewer.admin) query = query.where(groupsOfMember(viewer.id, levelFor('edit_group')))
  return new Set((await query.execute()).map(({ id }) => id))
}

/** The number of members of each group and the groups below it. Blocked users don't count. */
export async function countMembersBelow(db: Db, ids: number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.namespace_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select((eb) => ['namespace_ancestors.ancestor_id as id', eb.fn.count<number>('members.user_id').distinct().as('count')])
    .where('namespace_ancestors.ancestor_id', 'in', ids)
    .where(usersWhoMayAct())
    .where(notExpired())
    .groupBy('namespace_ancestors.ancestor_id')
    .execute()
  return new Map(rows.map(({ id, count }) => [id, count]))
}
