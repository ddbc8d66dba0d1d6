/** Memberships of a user as SQL: the subqueries of visible.ts. Expired memberships and shares are ignored. */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { today } from '../db/instants.ts'
import type { Tables } from '../db/tables.ts'
import { accessLevels } from './levels.ts'

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InNamespaces = ExpressionBuilder<Tables, 'namespaces'>

/** The groups of the user with everything below them, and their personal namespace. */
export function namespacesOfMember(eb: InProjects, userId: number, minLevel: number, day = today()) {
  return groupsJoinedBy(eb, userId, minLevel, day).unionAll(
    eb.selectFrom('namespaces as own').select('own.id as namespace_id').where('own.owner_id', '=', userId),
  )
}

/** Projects that the user is a direct member of, and those shared with one of their groups or a group above. */
export function projectsJoinedBy(eb: InProjects, userId: number, minLevel: number, day = today()) {
  return memberships(eb, userId, minLevel, day)
    .select((m) => m.ref('members.project_id').$notNull().as('project_id'))
    .where('members.project_id', 'is not', null)
    .unionAll(
      partsOf(eb, userId, minLevel, day)
        .select((share) => share.ref('group_shares.project_id').$notNull().as('project_id'))
        .where('group_shares.project_id', 'is not', null),
    )
}

/** Shares of projects and groups with groups of the user, or with groups below those, that give at least this level. */
function partsOf(eb: InProjects | InNamespaces, userId: number, minLevel: number = accessLevels.guest, day = today()) {
  return memberships(eb, userId, minLevel, day)
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .innerJoin('group_shares', 'group_shares.group_id', 'namespace_ancestors.namespace_id')
    .where('group_shares.access_level', '>=', minLevel)
    .where(notExpired(day, 'group_shares'))
}

/** Groups that the user is a direct member of, groups shared with one of theirs, and everything below. */
export function groupsJoinedBy(eb: InProjects | InNamespaces, userId: number, minLevel: number, day = today()) {
  return memberships(eb, userId, minLevel, day)
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .select('namespace_ancestors.namespace_id')
    .unionAll(
      partsOf(eb, userId, minLevel, day)
        .innerJoin('namespace_ancestors as below', 'below.ancestor_id', 'group_shares.namespace_id')
        .select('below.namespace_id'),
    )
}

/** In a query over `members` and `group_shares`: access through a shared group is capped by both the share and the member's own level. */
export function levelByShare() {
  const [own, share] = [sql.ref('members.access_level'), sql.ref('group_shares.access_level')]
  return sql<number>`case when ${own} < ${share} then ${own} else ${share} end`
}

function memberships(eb: InProjects | InNamespaces, userId: number, minLevel: number, day = today()) {
  return (eb as ExpressionBuilder<Tables, never>)
    .selectFrom('members')
    .where('members.user_id', '=', userId)
    .where('members.access_level', '>=', minLevel)
    .where(notExpired(day))
}

/** All groups above a group or project that the user is a member of: without seeing these they could not find their own. */
export function groupsAbove(eb: InNamespaces, userId: number, day = today()) {
  const above = () => memberships(eb, userId, accessLevels.guest, day)
  return above()
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'members.namespace_id')
    .select('namespace_ancestors.ancestor_id as namespace_id')
    .unionAll(
      above()
        .innerJoin('projects as held', 'held.id', 'members.project_id')
        .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'held.namespace_id')
        .select('namespace_ancestors.ancestor_id as namespace_id'),
    )
    .unionAll(groupsAboveParts(eb, userId, day))
}

/** All groups above a project or group that is shared with a group of the user. */
export function groupsAboveParts(eb: InNamespaces, userId: number, day = today()) {
  return partsOf(eb, userId, accessLevels.guest, day)
    .innerJoin('projects as shared', 'shared.id', 'group_shares.project_id')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'shared.namespace_id')
    .select('above.ancestor_id as namespace_id')
    .unionAll(
      partsOf(eb, userId, accessLevels.guest, day)
        .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'group_shares.namespace_id')
        .select('above.ancestor_id as namespace_id'),
    )
}

/** Memberships or shares that have not expired on this day. */
export function notExpired(day = today(), table: 'members' | 'group_shares' = 'members') {
  const ends = sql.ref(`${table}.expires_at`)
  return sql<SqlBool>`(${ends} is null or ${ends} > ${day})`
}
