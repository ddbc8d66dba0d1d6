/** Pages of projects, presented for the viewer. */
import type { App } from '../../../app.ts'
import type { PageOf } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import type { Rows } from '../../../http/page.ts'
import type { Presented } from '../../../http/schema.ts'
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

/** As `pageOfProjects`, of those in the namespace of a user: none where the profile is private. */
export async function pageOfOwner(
  app: App,
  owner: User,
  viewer: User | null,
  query: ProjectFilter & ProjectView,
  page: PageOf,
): Promise<Rows<Presented<typeof ProjectAny>>> {
  const isVisible = !owner.private_profile || viewer?.admin || viewer?.id === owner.id
  return isVisible ? pageOfProjects(app, viewer, query, page, { owner_id: owner.id }) : { rows: [], total: 0 }
}

/** The most projects shown inside their group: the list of projects has them all. */
const maxInGroup = 100

/** What a group shows of its own projects, or of those of others in which it has part. */
export async function projectsOfGroup(
  app: App,
  groupId: number,
  viewer: User | null,
  part: 'own' | 'shared' = 'own',
): Promise<Array<Presented<typeof ProjectAny>>> {
  const within = part === 'own' ? { group_id: groupId } : { shared_with_id: groupId }
  const { rows } = await pageOfProjects(app, viewer, { order_by: 'created_at', sort: 'desc' }, { limit: maxInGroup, offset: 0 }, within)
  return rows
}
