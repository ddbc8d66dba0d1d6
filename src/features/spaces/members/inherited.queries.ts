/** SQL for all members of a place: direct, inherited and through shares. */
import { sql } from 'kysely'
import { groupsVisibleTo, notExpired, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { UserSearch } from '../../people/users/users.ts'
import { isCalled, type Member, userColumns } from './members.queries.ts'

/** A group, or a project with the group or personal namespace it stands in. */
export interface Whole {
  namespace_id: number
  project_id: number | null
}

/**
 * Members of the place, of every group above it, and of the groups that have part in the project as far as the viewer can see
 * them: each once, with their highest level.
 */
export function listAllMembers(
  db: Db,
  viewer: Viewer,
  place: Whole,
  search: UserSearch,
  page: PageOf,
): Promise<{ rows: Member[]; total: number }> {
  const { project_id } = place
  const all = project_id === null ? standing(db, place) : standing(db, place).unionAll(sharing(db, viewer, project_id))
  const ranked = db
    .selectFrom(all.as('every'))
    .selectAll()
    .select(sql<number>`row_number() over (partition by user_id order by access_level desc, direct desc, id)`.as('rank'))
  let query = db
    .selectFrom(ranked.as('best'))
    .innerJoin('users', 'users.id', 'best.user_id')
    .select([...userColumns, 'best.user_id', 'best.access_level', 'best.expires_at'])
    .where('best.rank', '=', 1)
  if (search.words) query = query.where(isCalled(search.words, search.actor))
  return paginate(query.orderBy('users.id'), page)
}

/** Those of the place and of what is above it. */
function standing(db: Db, { namespace_id, project_id }: Whole) {
  return db
    .selectFrom('members')
    .select(['members.id', 'members.user_id', 'members.access_level', 'members.expires_at', sql<number>`1`.as('direct')])
    .where(notExpired())
    .where((eb) =>
      eb.or([
        eb(
          'members.namespace_id',
          'in',
          eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespace_id),
        ),
        ...(project_id === null ? [] : [eb('members.project_id', '=', project_id)]),
      ]),
    )
}

/**
 * Those of the groups that have part in the project, and of what is above these: with no more than that part. Who is in a group
 * is no business of whom it is hidden from, be the project as open as it may.
 */
function sharing(db: Db, viewer: Viewer, projectId: number) {
  const [own, part] = [sql.ref('members.access_level'), sql.ref('group_shares.access_level')]
  return db
    .selectFrom('group_shares')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
    .select([
      'members.id',
      'members.user_id',
      sql<number>`case when ${own} < ${part} then ${own} else ${part} end`.as('access_level'),
      'members.expires_at',
      sql<number>`0`.as('direct'),
    ])
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.group_id')
    .where(groupsVisibleTo(viewer))
    .where('group_shares.project_id', '=', projectId)
    .where(notExpired())
    .where(notExpired(today(), 'group_shares'))
}
