/** SQL for groups. */
import { type ExpressionBuilder, sql } from 'kysely'
import { isGroup, type LocatedGroup, locatedGroups } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { notExpired } from '../../../access/members.ts'
import {
  groupsOfMember,
  groupsOfUser,
  groupsOnlyForMember,
  groupsVisibleTo,
  projectsVisibleTo,
  visibilitiesOpenTo,
} from '../../../access/visible.ts'
import { contains, type Db, type Found, type PageOf } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { pageByKeyset } from '../../../db/keyset.ts'
import { directed, pageOfList, totalOf } from '../../../db/list-cache.ts'
import { totalByCounts, valueIn } from '../../../db/list-counts.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Tables, User, Visibility } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { moreOpenThan } from '../../../validation.ts'
import { matchesAttributes } from '../../instance/custom-attributes/custom-attributes.ts'
import { groupsJoined } from '../../namespaces/namespaces.ts'

export interface GroupFilter {
  search?: string | undefined
  skip_groups?: number[] | undefined
  /** Whether to include groups that the viewer can see without being a member. */
  all_available?: boolean | undefined
  /** Only groups that the viewer is a direct owner of, not those owned through a parent group. */
  owned?: boolean | undefined
  min_access_level?: number | undefined
  custom_attributes?: Record<string, string> | undefined
  /** Only direct subgroups of this one. */
  parent_id?: number | undefined
  /** Only groups below this one. */
  ancestor_id?: number | undefined
  top_level_only?: boolean | undefined
  /** Only groups that this user is a direct member of. */
  member_id?: number | undefined
  /** Only groups that are shared with this one. */
  shared_with_id?: number | undefined
  visibility?: Visibility | undefined
  archived?: boolean | undefined
  /** Neither archived nor marked for deletion. */
  active?: boolean | undefined
  order_by: 'name' | 'path' | 'id'
  sort: 'asc' | 'desc'
}

export async function listGroups(db: Db, viewer: User | null, filter: GroupFilter, page: PageOf): Promise<Found<LocatedGroup>> {
  const all = db.selectFrom('namespaces').where(isGroup()).where(chosen(viewer, filter))
  let query = all
  const { search } = filter
  if (search) query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  if (filter.custom_attributes) query = query.where(matchesAttributes('group', filter.custom_attributes, viewer))
  if (filter.skip_groups?.length) query = query.where('namespaces.id', 'not in', filter.skip_groups)
  if (filter.parent_id !== undefined) query = query.where('namespaces.parent_id', '=', filter.parent_id)
  if (filter.ancestor_id !== undefined) query = query.where(standsBelow(filter.ancestor_id))
  if (filter.top_level_only) query = query.where('namespaces.parent_id', 'is', null)
  if (filter.member_id !== undefined) query = query.where('namespaces.id', 'in', joinedBy(db, filter.member_id))
  if (filter.shared_with_id !== undefined) query = query.where('namespaces.id', 'in', sharedWith(db, filter.shared_with_id))
  if (filter.visibility) query = query.where('namespaces.visibility', '=', filter.visibility)
  if (filter.archived !== undefined) query = query.where('namespaces.archived', '=', filter.archived)
  if (filter.active !== undefined) query = query.where(isActive(filter.active))
  if (page.keyset) return pageByKeyset(db, query, 'namespaces', page, groupsById)
  const total = query === all && isOfVisible(viewer, filter) ? await countVisible(db, viewer) : await totalOf(db, query)
  if (total <= page.offset) return { rows: [], total }
  const ids = (isReversed: boolean) =>
    query
      .select('namespaces.id')
      .orderBy(`namespaces.${filter.order_by}`, directed(filter.sort, isReversed))
      .orderBy('namespaces.id', directed(filter.order_by === 'id' ? filter.sort : 'asc', isReversed))
  return { rows: await pageOfList(db, ids, { ...page, total }, groupsById), total }
}

function isActive(wanted: boolean) {
  return (eb: ExpressionBuilder<Tables, 'namespaces'>) =>
    wanted
      ? eb.and([eb('namespaces.archived', '=', false), eb('namespaces.marked_for_deletion_at', 'is', null)])
      : eb.or([eb('namespaces.archived', '=', true), eb('namespaces.marked_for_deletion_at', 'is not', null)])
}

function joinedBy(db: Db, userId: number) {
  return db
    .selectFrom('members')
    .select((member) => member.ref('members.namespace_id').$notNull().as('namespace_id'))
    .where('members.user_id', '=', userId)
    .where('members.namespace_id', 'is not', null)
    .where(notExpired())
}

function sharedWith(db: Db, groupId: number) {
  return db
    .selectFrom('group_shares')
    .select((share) => share.ref('group_shares.namespace_id').$notNull().as('namespace_id'))
    .where('group_shares.group_id', '=', groupId)
    .where('group_shares.namespace_id', 'is not', null)
    .where(notExpired(today(), 'group_shares'))
}

/** The number of groups the viewer sees. */
function countVisible(db: Db, viewer: User | null): Promise<number> {
  const open = { table: 'namespaces', condition: valueIn(visibilitiesOpenTo(viewer)) } as const
  return totalByCounts(db, open, db.selectFrom('namespaces').where(isGroup()).where(groupsOnlyForMember(viewer)))
}

function standsBelow(id: number) {
  return (eb: ExpressionBuilder<Tables, 'namespaces'>) => {
    const below = eb.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
    return eb.and([eb('namespaces.id', '!=', id), eb('namespaces.id', 'in', below)])
  }
}

const groupsById = prepared((db: Db, ids: readonly number[]) => locatedGroups(db).where(among(db, 'namespaces.id', ids)))

/** Selects groups by membership: `owned` takes precedence over `min_access_level`, and both over `all_available`. */
function chosen(viewer: User | null, filter: GroupFilter) {
  const { owned, min_access_level } = filter
  if (isOfVisible(viewer, filter)) return groupsVisibleTo(viewer)
  if (!viewer) return groupsJoined(0)
  if (owned) return groupsJoined(viewer.id, accessLevels.owner)
  return min_access_level === undefined ? groupsOfUser(viewer.id) : groupsOfMember(viewer.id, min_access_level)
}

/** Whether all groups that the viewer can see are wanted. Anonymous callers have no memberships, and always list public groups. */
function isOfVisible(viewer: User | null, { owned, min_access_level, all_available }: GroupFilter): boolean {
  return !owned && (!viewer || (min_access_level === undefined && all_available === true))
}

/** Throws 404 if the group was deleted meanwhile. */
export function findLocated(db: Db, id: number): Promise<LocatedGroup> {
  return locatedGroups(db)
    .where('namespaces.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Group'))
}

export interface GroupStatistics {
  repository_size: number
  wiki_size: number
  snippets_size: number
  lfs_objects_size: number
  job_artifacts_size: number
  packages_size: number
  uploads_size: number
  terraform_states_size: number
  secure_files_size: number
}

/** The total sizes, in bytes, of the projects directly in each of the groups: one statement. */
export async function statisticsOf(db: Db, ids: number[]): Promise<Map<number, GroupStatistics>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('projects')
    .leftJoin('stored_sizes', 'stored_sizes.project_id', 'projects.id')
    .select([
      'namespace_id',
      sql<number>`cast(sum(repository_size) as bigint)`.as('repository_size'),
      sql<number>`cast(sum(wiki_size) as bigint)`.as('wiki_size'),
      sql<number>`cast(sum(snippets_size) as bigint)`.as('snippets_size'),
      sql<number>`cast(sum(lfs_objects_size) as bigint)`.as('lfs_objects_size'),
      sql<number>`cast(sum(coalesce(job_artifacts_size, 0)) as bigint)`.as('job_artifacts_size'),
      sql<number>`cast(sum(coalesce(packages_size, 0)) as bigint)`.as('packages_size'),
      sql<number>`cast(sum(coalesce(uploads_size, 0)) as bigint)`.as('uploads_size'),
      sql<number>`cast(sum(coalesce(terraform_states_size, 0)) as bigint)`.as('terraform_states_size'),
      sql<number>`cast(sum(coalesce(secure_files_size, 0)) as bigint)`.as('secure_files_size'),
    ])
    .where('namespace_id', 'in', ids)
    .groupBy('namespace_id')
    .execute()
  return new Map(rows.map(({ namespace_id, ...sizes }) => [namespace_id, sizes]))
}

/** Counts of what is directly in a group, limited to what the viewer can see. */
export interface GroupCounts {
  groups: number
  /** Without archived ones, unless the group itself is archived. */
  projects: number
}

/** For each of the groups, including empty ones: two statements. */
export async function countsInGroups(db: Db, viewer: User | null, ids: readonly number[]): Promise<Map<number, GroupCounts>> {
  if (ids.length === 0) return new Map()
  const archivedGroups = db.selectFrom('namespaces').select('id').where('id', 'in', ids).where('archived', '=', true)
  const [groups, projects] = await Promise.all([
    db
      .selectFrom('namespaces')
      .select((eb) => ['namespaces.parent_id as id', eb.fn.countAll<number>().as('number')])
      .where('namespaces.parent_id', 'in', ids)
      .where(groupsVisibleTo(viewer))
      .groupBy('namespaces.parent_id')
      .execute(),
    db
      .selectFrom('projects')
      .select((eb) => ['projects.namespace_id as id', eb.fn.countAll<number>().as('number')])
      .where('projects.namespace_id', 'in', ids)
      .where((eb) => eb.or([eb('projects.archived', '=', false), eb('projects.namespace_id', 'in', archivedGroups)]))
      .where(projectsVisibleTo(viewer))
      .groupBy('projects.namespace_id')
      .execute(),
  ])
  const below = new Map(groups.map(({ id, number }) => [id, number]))
  const inside = new Map(projects.map(({ id, number }) => [id, number]))
  return new Map(ids.map((id) => [id, { groups: below.get(id) ?? 0, projects: inside.get(id) ?? 0 }]))
}

/** Reduces the visibility of the group and everything below it to at most `visibility`. */
export async function narrowGroups(db: Db, id: number, visibility: Visibility): Promise<void> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
  await db
    .updateTable('namespaces')
    .set({ visibility })
    .where('id', 'in', below)
    .where('visibility', 'in', moreOpenThan(visibility))
    .execute()
}

/** The visibility levels of the projects and groups directly in a group. */
export async function visibilitiesIn(db: Db, id: number): Promise<{ projects: Visibility[]; groups: Visibility[] }> {
  const projects = await db.selectFrom('projects').select('visibility').distinct().where('namespace_id', '=', id).execute()
  const groups = await db.selectFrom('namespaces').select('visibility').distinct().where('parent_id', '=', id).execute()
  return { projects: projects.map(({ visibility }) => visibility), groups: groups.map(({ visibility }) => visibility) }
}

/** The avatars of the group and everything below it in the object store. */
export async function avatarsBelow(db: Db, id: number): Promise<string[]> {
  const rows = await db
    .selectFrom('namespaces')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'namespaces.id')
    .select('namespaces.avatar_key')
    .where('namespace_ancestors.ancestor_id', '=', id)
    .where('namespaces.avatar_key', 'is not', null)
    .execute()
  return rows.flatMap(({ avatar_key }) => avatar_key ?? [])
}

/** The projects in the group and in all below it. */
export async function projectsBelow(db: Db, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('namespace_ancestors.ancestor_id', '=', id)
    .orderBy('projects.id')
    .execute()
  return rows.map((row) => row.id)
}

/** Deletes everything below it, too. */
export async function deleteGroup(db: Db, id: number): Promise<void> {
  await db.deleteFrom('namespaces').where('id', '=', id).execute()
}
