/**
 * What a user can see, as SQL: the one predicate behind rows, counts, search and every nested list, evaluated when read.
 * A membership counts for the place it was given in and everything below, and where a group has part in a project, there up
 * to the level of that part; what has expired counts for nothing.
 */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { today } from '../db/instants.ts'
import type { Tables, User } from '../db/tables.ts'
import { accessLevels } from './levels.ts'

/** Who asks; null is anybody. */
export type Viewer = Pick<User, 'id' | 'admin' | 'external'> | null

type InProjects = ExpressionBuilder<Tables, 'projects'>
type InNamespaces = ExpressionBuilder<Tables, 'namespaces'>

/** Projects the viewer can see. For a query over `projects`. */
export function projectsVisibleTo(viewer: Viewer) {
  return (eb: InProjects): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    const open = eb('projects.visibility', 'in', openTo(viewer))
    return viewer ? eb.or([open, projectsOfMember(viewer.id)(eb)]) : open
  }
}

/**
 * Projects the user is a member of with at least this level: directly, by a group above, by a group that has part in it, or as
 * owner of the namespace.
 */
export function projectsOfMember(userId: number, least: number = accessLevels.guest) {
  return (eb: InProjects): Expression<SqlBool> =>
    eb.or([
      eb.exists(
        eb
          .selectFrom('members')
          .select(sql`1`.as('one'))
          .where('members.user_id', '=', userId)
          .where('members.access_level', '>=', least)
          .where(notExpired())
          .where((m) =>
            m.or([
              m('members.project_id', '=', m.ref('projects.id')),
              m(
                'members.namespace_id',
                'in',
                m
                  .selectFrom('namespace_ancestors')
                  .select('ancestor_id')
                  .whereRef('namespace_ancestors.namespace_id', '=', 'projects.namespace_id'),
              ),
            ]),
          ),
      ),
      eb('projects.id', 'in', projectsSharedWith(eb, userId, least)),
      eb('projects.namespace_id', 'in', eb.selectFrom('namespaces as own').select('own.id').where('own.owner_id', '=', userId)),
    ])
}

/** The projects in which a group of the user, or a group above one, has part. */
function projectsSharedWith(eb: InProjects, userId: number, least: number) {
  return eb
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .innerJoin('group_shares', 'group_shares.group_id', 'namespace_ancestors.namespace_id')
    .select('group_shares.project_id')
    .where('members.user_id', '=', userId)
    .where('members.access_level', '>=', least)
    .where('group_shares.access_level', '>=', least)
    .where(notExpired())
    .where(notExpired(today(), 'group_shares'))
}

/** Groups the viewer can see: open ones, and those above, at or below a membership of his. For a query over `namespaces`. */
export function groupsVisibleTo(viewer: Viewer) {
  return (eb: InNamespaces): Expression<SqlBool> => {
    if (viewer?.admin) return sql<SqlBool>`1 = 1`
    const open = eb('namespaces.visibility', 'in', openTo(viewer))
    if (!viewer) return open
    return eb.or([open, groupsOfUser(viewer.id)(eb)])
  }
}

/** Groups the user is a member of with at least this level, directly or by a group above. */
export function groupsOfMember(userId: number, least: number = accessLevels.guest) {
  return (eb: InNamespaces): Expression<SqlBool> =>
    eb.exists(
      eb
        .selectFrom('members')
        .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
        .select(sql`1`.as('one'))
        .whereRef('namespace_ancestors.namespace_id', '=', 'namespaces.id')
        .where('members.user_id', '=', userId)
        .where('members.access_level', '>=', least)
        .where(notExpired()),
    )
}

/** Groups the user has a part in: at, below or above a membership of his. */
export function groupsOfUser(userId: number) {
  return (eb: InNamespaces): Expression<SqlBool> => eb.or([groupsOfMember(userId)(eb), eb('namespaces.id', 'in', groupsAbove(eb, userId))])
}

/** Every group above a group or a project that the user is a member of: without them he could not find his own. */
function groupsAbove(eb: InNamespaces, userId: number) {
  return eb
    .selectFrom('members')
    .leftJoin('projects as held', 'held.id', 'members.project_id')
    .innerJoin('namespace_ancestors', (join) =>
      join.on((on) =>
        on.or([
          on('namespace_ancestors.namespace_id', '=', on.ref('members.namespace_id')),
          on('namespace_ancestors.namespace_id', '=', on.ref('held.namespace_id')),
        ]),
      ),
    )
    .select('namespace_ancestors.ancestor_id')
    .where('members.user_id', '=', userId)
    .where(notExpired())
}

function openTo(viewer: Viewer): Array<'internal' | 'public'> {
  return viewer && !viewer.external ? ['public', 'internal'] : ['public']
}

/** The membership, or the part of a group, counts on this day. */
export function notExpired(day = today(), table: 'members' | 'group_shares' = 'members') {
  const ends = sql.ref(`${table}.expires_at`)
  return sql<SqlBool>`(${ends} is null or ${ends} > ${day})`
}
