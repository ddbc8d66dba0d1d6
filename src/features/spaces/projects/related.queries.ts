/** SQL for the groups of a project and for its starrers. */
import { isGroup, type LocatedGroup, type LocatedProject, locatedGroups } from '../../../access/find.ts'
import { notExpired } from '../../../access/members.ts'
import { groupsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { isFoundBy, type UserInBrief } from '../../people/users/users.ts'

export interface GroupsFilter {
  search?: string | undefined
  skip_groups?: number[] | undefined
  /** Whether to include the groups above; true by default. */
  with_ancestors?: boolean
  with_shared: boolean
  shared_min_access_level?: number | undefined
}

/** The groups above the project, and those it is shared with, that the viewer can see. */
export function listGroupsOf(
  db: Db,
  viewer: Viewer,
  { id, namespace_id }: LocatedProject,
  { search, skip_groups, with_ancestors = true, with_shared, shared_min_access_level = 0 }: GroupsFilter,
  page: PageOf,
): Promise<{ rows: LocatedGroup[]; total: number }> {
  const above = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespace_id)
  const sharing = db
    .selectFrom('group_shares')
    .select('group_shares.group_id')
    .where((eb) => eb.or([eb('group_shares.project_id', '=', id), eb('group_shares.namespace_id', 'in', above)]))
    .where('group_shares.access_level', '>=', shared_min_access_level)
    .where(notExpired(today(), 'group_shares'))
  let query = locatedGroups(db)
    .where(isGroup())
    .where(groupsVisibleTo(viewer))
    .where((eb) =>
      eb.or([...(with_ancestors ? [eb('namespaces.id', 'in', above)] : []), ...(with_shared ? [eb('namespaces.id', 'in', sharing)] : [])]),
    )
  if (search) query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  if (skip_groups?.length) query = query.where('namespaces.id', 'not in', skip_groups)
  return paginate(query.orderBy('namespaces.name').orderBy('namespaces.id'), page)
}

export type Starrer = UserInBrief & { starred_since: string }

/**
 * Lists the users who have starred the project, latest first. Users with a private profile are only listed for themselves and for
 * administrators.
 */
export function listStarrers(
  db: Db,
  viewer: Viewer,
  projectId: number,
  search: string | undefined,
  page: PageOf,
): Promise<{ rows: Starrer[]; total: number }> {
  let query = db
    .selectFrom('users')
    .innerJoin('project_stars', 'project_stars.user_id', 'users.id')
    .select([
      'users.id',
      'users.name',
      'users.username',
      'users.state',
      'users.kind',
      'users.avatar_name',
      'project_stars.created_at as starred_since',
    ])
    .where('project_stars.project_id', '=', projectId)
  if (!viewer?.admin) query = query.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', viewer?.id ?? 0)]))
  if (search) query = query.where((eb) => isFoundBy(eb, search, viewer))
  return paginate(query.orderBy('project_stars.created_at', 'desc').orderBy('users.id'), page)
}
