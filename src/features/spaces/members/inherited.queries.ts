/** SQL for all members of a place: direct, inherited and through shares. */
import { sql } from 'kysely'
import { levelByShare, notExpired } from '../../../access/members.ts'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, type PageOf, paginate } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { isSought, type Member, type MemberSearch, userColumns } from './members.queries.ts'

/** A group, or a project with its group or personal namespace. */
export interface Whole {
  namespace_id: number
  project_id: number | null
}

/**
 * Members of the place, of every group above it, and of the groups it is shared with that the viewer can see: each once, with their highest
 * level.
 */
export function listAllMembers(db: Db, viewer: Viewer, place: Whole, search: MemberSearch, page: PageOf): Promise<Found<Member>> {
  return paginate(allMembers(db, viewer, place).where(isSought(search)).orderBy('users.id'), page)
}

/** A member by inheritance or a share, with the source of the membership. */
export interface SourcedMember extends Member {
  kind: User['kind']
  isDirect: boolean
  /** The highest level of all memberships. */
  effective_level: number
  /** Path of the group; null for a direct membership, and if the viewer can't see the group. */
  source_path: string | null
}

export const memberOrders = ['name_asc', 'name_desc', 'access_level_desc', 'access_level_asc', 'last_joined', 'oldest_joined'] as const

export type MemberOrder = (typeof memberOrders)[number]

/**
 * As `listAllMembers`, in the same order. For each user it returns the direct membership if there is one, as only that can be changed here.
 * Two statements.
 */
export async function listMembersWithSources(
  db: Db,
  viewer: Viewer,
  place: Whole,
  search: MemberSearch,
  { limit, offset, order }: PageOf & { order: MemberOrder },
): Promise<Found<SourcedMember>> {
  const all = standing(db, place).unionAll(sharing(db, viewer, place))
  const ranked = db
    .selectFrom(all.as('every'))
    .selectAll()
    .select([
      sql<number>`row_number() over (partition by user_id order by here desc, access_level desc, direct desc, id)`.as('rank'),
      sql<number>`max(access_level) over (partition by user_id)`.as('effective_level'),
    ])
  const best = db
    .selectFrom(ranked.as('best'))
    .innerJoin('users', 'users.id', 'best.user_id')
    .leftJoin('routes', 'routes.namespace_id', 'best.source_id')
    .leftJoin('namespaces', 'namespaces.id', 'best.source_id')
    .select([
      ...userColumns,
      'best.user_id',
      'best.access_level',
      'best.expires_at',
      'best.created_at',
      'best.effective_level',
      'best.here',
    ])
    .select((eb) =>
      eb
        .case()
        .when(groupsVisibleTo(search.actor)(eb as never))
        .then(eb.ref('routes.path'))
        .else(null)
        .end()
        .as('source_path'),
    )
    .where('best.rank', '=', 1)
    .where(isSought(search))
  const [column, direction] = columnOf[order]
  const found = await paginate(best.orderBy(column, direction).orderBy('users.id'), { limit, offset })
  const rows = found.rows.map(({ here, source_path, ...row }) => {
    const isDirect = Number(here) === 1
    return { ...row, isDirect, source_path: isDirect ? null : source_path }
  })
  return { rows, total: found.total }
}

const columnOf = {
  name_asc: ['users.name', 'asc'],
  name_desc: ['users.name', 'desc'],
  access_level_desc: ['best.effective_level', 'desc'],
  access_level_asc: ['best.effective_level', 'asc'],
  last_joined: ['best.created_at', 'desc'],
  oldest_joined: ['best.created_at', 'asc'],
} as const satisfies Record<MemberOrder, readonly [string, 'asc' | 'desc']>

/** As `listAllMembers`, for one user; null if not a member. */
export async function findAnyMember(db: Db, viewer: Viewer, place: Whole, userId: number): Promise<Member | null> {
  return (await allMembers(db, viewer, place).where('users.id', '=', userId).executeTakeFirst()) ?? null
}

function allMembers(db: Db, viewer: Viewer, place: Whole) {
  const all = standing(db, place).unionAll(sharing(db, viewer, place))
  const ranked = db
    .selectFrom(all.as('every'))
    .selectAll()
    .select(sql<number>`row_number() over (partition by user_id order by access_level desc, direct desc, id)`.as('rank'))
  return db
    .selectFrom(ranked.as('best'))
    .innerJoin('users', 'users.id', 'best.user_id')
    .select([...userColumns, 'best.user_id', 'best.access_level', 'best.expires_at', 'best.created_at'])
    .where('best.rank', '=', 1)
}

/** Members of the place and of the groups above it. */
function standing(db: Db, { namespace_id, project_id }: Whole) {
  return db
    .selectFrom('members')
    .select([
      'members.id',
      'members.user_id',
      'members.access_level',
      'members.expires_at',
      'members.created_at',
      sql<number>`1`.as('direct'),
      // Whether the membership is direct.
      project_id === null
        ? sql<number>`case when ${sql.ref('members.namespace_id')} = ${namespace_id} then 1 else 0 end`.as('here')
        : sql<number>`case when ${sql.ref('members.project_id')} is null then 0 else 1 end`.as('here'),
      'members.namespace_id as source_id',
    ])
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
 * Members of the groups that the place, or a group above it, is shared with, and of the groups above these: at most with the level of the
 * share. The members of a group are hidden from users who can't see the group, even if the project is public.
 */
function sharing(db: Db, viewer: Viewer, { namespace_id, project_id }: Whole) {
  return db
    .selectFrom('group_shares')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'group_shares.group_id')
    .innerJoin('members', 'members.namespace_id', 'namespace_ancestors.ancestor_id')
    .select([
      'members.id',
      'members.user_id',
      levelByShare().as('access_level'),
      'members.expires_at',
      'members.created_at',
      sql<number>`0`.as('direct'),
      sql<number>`0`.as('here'),
      'group_shares.group_id as source_id',
    ])
    .innerJoin('namespaces', 'namespaces.id', 'group_shares.group_id')
    .where(groupsVisibleTo(viewer))
    .where((eb) => {
      const above = eb.selectFrom('namespace_ancestors as above').select('above.ancestor_id').where('above.namespace_id', '=', namespace_id)
      return eb.or([
        eb('group_shares.namespace_id', 'in', above),
        ...(project_id === null ? [] : [eb('group_shares.project_id', '=', project_id)]),
      ])
    })
    .where(notExpired())
    .where(notExpired(today(), 'group_shares'))
}
