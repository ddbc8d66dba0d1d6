/** Pages of projects, presented for the viewer. */
import type { App } from '../../../app.ts'
import type { PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Rows } from '../../../http/reply/page.ts'
import { listProjects, type ProjectFilter, type Within } from './lists.queries.ts'
import { type ProjectView, presentProjects } from './projects.present.ts'
import type { ProjectAny } from './projects.schema.ts'

/** One page of those projects within a group, a user's namespace or the forks of one that the viewer can see and that fit. */
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
}

export type OwnerTie = 'own' | 'contributed' | 'starred'

/** As `pageOfProjects`, of those in the namespace of a user, or with another tie to them: none where the profile is private. */
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

/** The max projects shown inside their group, as those of a page: the list of projects has them all, and a header says how many. */
const maxInGroup = 100

/** The newest of what a group shows of its own projects, or of those of others in which it has part, and how many there are. */
export async function projectsOfGroup(
  app: App,
  groupId: number,
  viewer: User | null,
  part: 'own' | 'shared' = 'own',
): Promise<Rows<Presented<typeof ProjectAny>>> {
  const within = part === 'own' ? { group_id: groupId } : { shared_with_id: groupId }
  return pageOfProjects(app, viewer, { order_by: 'created_at', sort: 'desc' }, { limit: maxInGroup, offset: 0 }, within)
}
