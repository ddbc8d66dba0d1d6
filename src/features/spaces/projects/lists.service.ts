/** Pages of projects, presented for the viewer. */
import type { App } from '../../../app.ts'
import type { PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Rows } from '../../../http/reply/page.ts'
import { listProjects, type ProjectFilter, type Within } from './lists.queries.ts'
import { type ProjectView, presentProjects } from './projects.present.ts'
import type { ProjectAny } from './projects.schema.ts'

/**
 * One page of the projects in a group, in a user's namespace or among the forks of a project, that the viewer can see and that match the
 * filter.
 */
export async function pageOfProjects(
  app: App,
  viewer: User | null,
  query: ProjectFilter & ProjectView,
  page: PageOf,
  within: Within = {},
): Promise<Rows<Presented<typeof ProjectAny>>> {
  const { rows, ...place } = await listProjects(app.db, viewer, query, within, page)
  return { rows: await presentProjects(app, rows, viewer, query), ...place }
}

const within = {
  own: (owner_id: number) => ({ owner_id }),
  contributed: (contributor_id: number) => ({ contributor_id }),
  starred: (starred_by_id: number) => ({ starred_by_id }),
  pinned: (pinned_by_id: number) => ({ pinned_by_id }),
}

export type OwnerTie = keyof typeof within

/** As `pageOfProjects`, for projects in the namespace of a user or otherwise related to them: none if the profile is private. */
export async function pageOfOwner(
  app: App,
  owner: User,
  viewer: User | null,
  query: ProjectFilter & ProjectView,
  page: PageOf,
  tie: OwnerTie = 'own',
): Promise<Rows<Presented<typeof ProjectAny>>> {
  const isVisible = !owner.private_profile || viewer?.admin || viewer?.id === owner.id
  return isVisible ? pageOfProjects(app, viewer, query, page, within[tie](owner.id)) : { rows: [], total: 0 }
}

/** Limit of the projects in the JSON of a group. The list endpoint has them all, and a header gives the total. */
const maxInGroup = 100

/** The newest of a group's own projects, or of those shared with it, and their total number. */
export async function projectsOfGroup(
  app: App,
  groupId: number,
  viewer: User | null,
  part: 'own' | 'shared' = 'own',
): Promise<Rows<Presented<typeof ProjectAny>>> {
  const within = part === 'own' ? { group_id: groupId } : { shared_with_id: groupId }
  return pageOfProjects(app, viewer, { order_by: 'created_at', sort: 'desc' }, { limit: maxInGroup, offset: 0 }, within)
}
