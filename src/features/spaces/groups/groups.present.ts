/** A row of a group as JSON. */
import type { LocatedGroup } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { customAttributesOf } from '../../instance/custom-attributes/custom-attributes.ts'
import { fullNamesOf } from '../../namespaces/namespaces.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import { presentRooms, storageOf } from '../../storage/quotas/quotas.ts'
import { groupsSharing } from '../group-shares/group-shares.ts'
import { projectsOfGroup } from '../projects/projects.ts'
import { type GroupStatistics, statisticsOf } from './groups.queries.ts'
import type { Group, GroupDetails } from './groups.schema.ts'

/** Shown on request, and only to administrators; the statistics of one group to its owners, too. */
export interface GroupView {
  statistics?: boolean | undefined
  /** The viewer's level, for one group. */
  level?: number | undefined
  with_custom_attributes?: boolean | undefined
}

/** One statement for the names of the groups above, and one for each part of the view. */
export async function presentGroups(
  app: App,
  groups: LocatedGroup[],
  viewer: User | null,
  view: GroupView = {},
): Promise<Array<Presented<typeof Group>>> {
  const ids = groups.map(({ id }) => id)
  const admin = viewer?.admin === true
  const names = await fullNamesOf(app.db, ids)
  const attributes = admin && view.with_custom_attributes ? await customAttributesOf(app.db, 'group', ids) : null
  const sizes = view.statistics && (admin || may('edit_group', view.level ?? 0)) ? await statisticsOf(app.db, ids) : null
  return groups.map((group) => ({
    id: group.id,
    web_url: pageUrl(app.config, groupAddress(group.full_path)),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    lfs_enabled: group.lfs_enabled,
    avatar_url: avatarUrl(app.config, 'group', group),
    request_access_enabled: group.request_access_enabled,
    require_two_factor_authentication: group.require_two_factor_authentication,
    two_factor_grace_period: group.two_factor_grace_period,
    full_name: names.get(group.id) ?? group.name,
    full_path: group.full_path,
    parent_id: group.parent_id,
    archived: group.archived,
    marked_for_deletion_on: group.marked_for_deletion_at?.slice(0, 10) ?? null,
    custom_attributes: attributes ? (attributes.get(group.id) ?? []) : undefined,
    statistics: sizes ? presentStatistics(sizes.get(group.id)) : undefined,
  }))
}

const nothing: GroupStatistics = {
  repository_size: 0,
  wiki_size: 0,
  snippets_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  packages_size: 0,
  uploads_size: 0,
  terraform_states_size: 0,
  secure_files_size: 0,
}

function presentStatistics(sizes: GroupStatistics = nothing) {
  return Object.assign({ storage_size: Object.values(sizes).reduce((sum: number, bytes: number) => sum + bytes, 0) }, sizes)
}

/** A group as JSON, and its number of projects, not all of which are included. */
export interface CountedDetails extends Presented<typeof GroupDetails> {
  project_count?: number
  shared_project_count?: number
}

/** A group with its newest projects, and those shared with it: one page of each. */
export async function presentDetails(
  app: App,
  group: LocatedGroup,
  viewer: User | null,
  view: GroupView & { with_projects?: boolean | undefined } = {},
): Promise<CountedDetails> {
  const [presented] = await presentGroups(app, [group], viewer, view)
  const details: CountedDetails = presented as NonNullable<typeof presented>
  details.shared_with_groups = await groupsSharing(app.db, viewer, group.id)
  if (details.statistics) details.storage_limits = presentRooms((await storageOf(app, group.id)).rooms)
  if (view.with_projects === false) return details
  const [own, shared] = [await projectsOfGroup(app, group.id, viewer), await projectsOfGroup(app, group.id, viewer, 'shared')]
  details.projects = own.rows
  details.project_count = own.total
  details.shared_projects = shared.rows
  details.shared_project_count = shared.total
  return details
}
