/** SQL for groups. */
import { type LocatedGroup, locatedGroups } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import { groupsOfMember, groupsOfUser, groupsVisibleTo } from '../../access/visible.ts'
import { contains, type Db, type PageOf, pageOf } from '../../db/database.ts'
import type { User } from '../../db/tables.ts'

export interface GroupFilter {
  search?: string | undefined
  skip_groups?: number[] | undefined
  /** Whether groups count that the viewer can see without being a member. */
  all_available?: boolean | undefined
  owned?: boolean | undefined
  min_access_level?: number | undefined
  /** Only direct subgroups of this one. */
  parent_id?: number | undefined
  order_by: 'name' | 'path' | 'id'
  sort: 'asc' | 'desc'
}

export function listGroups(
  db: Db,
  viewer: User | null,
  filter: GroupFilter,
  page: PageOf,
): Promise<{ rows: LocatedGroup[]; total: number }> {
  let query = locatedGroups(db)
  const least = filter.owned ? accessLevels.owner : filter.min_access_level
  // Anybody is a member of nothing.
  if (least !== undefined) query = query.where(groupsOfMember(viewer?.id ?? 0, least))
  else if (viewer && !filter.all_available) query = query.where(groupsOfUser(viewer.id))
  else query = query.where(groupsVisibleTo(viewer))
  const { search } = filter
  if (search) query = query.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
  if (filter.skip_groups?.length) query = query.where('namespaces.id', 'not in', filter.skip_groups)
  if (filter.parent_id !== undefined) query = query.where('namespaces.parent_id', '=', filter.parent_id)
  return pageOf(
    query.orderBy(`namespaces.${filter.order_by}`, filter.sort).orderBy('namespaces.id', filter.order_by === 'id' ? filter.sort : 'asc'),
    page,
  )
}
