/** SQL for releases, their links and milestones; the rows of releases are those of the tags feature. */
import type { Insertable, Updateable } from 'kysely'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import { withMemberships } from '../../../access/memberships.ts'
import { plansVisibleTo } from '../../../access/plans.ts'
import { codeVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { Release, ReleaseLink, ReleaseLinkTable, ReleaseTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import { type PlacedMilestone, placedMilestones } from '../../planning/milestones/milestones.ts'

/** A release with its author, where that is known. */
export interface AuthoredRelease extends Release {
  author: UserInBrief | null
}

export interface ReleaseOrder {
  order_by: 'released_at' | 'created_at'
  sort: 'asc' | 'desc'
}

export async function listReleases(
  db: Db,
  project_id: number,
  { order_by, sort }: ReleaseOrder,
  page: PageOf,
): Promise<{ rows: AuthoredRelease[]; total: number }> {
  const query = releasesOf(db, project_id).orderBy(`releases.${order_by}`, sort).orderBy('releases.id', sort)
  const { rows, total } = await paginate(query, page)
  return { rows: rows.map(authored), total }
}

/** The releases of the projects in a group and below it whose code the viewer may read. */
export async function listReleasesOfGroup(
  db: Db,
  { group_id, viewer }: { group_id: number; viewer: Viewer },
  { sort }: Pick<ReleaseOrder, 'sort'>,
  page: PageOf,
): Promise<{ rows: AuthoredRelease[]; total: number }> {
  const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', group_id)
  const query = authoredReleases(db)
    .innerJoin('projects', 'projects.id', 'releases.project_id')
    .where('projects.namespace_id', 'in', below)
    .where(codeVisibleTo(await withMemberships(db, viewer)))
    .orderBy('releases.released_at', sort)
    .orderBy('releases.id', sort)
  const { rows, total } = await paginate(query, page)
  return { rows: rows.map(authored), total }
}

/** The projects of these releases, by id. */
export async function projectsOf(db: Db, releases: AuthoredRelease[]): Promise<Map<number, LocatedProject>> {
  const ids = [...new Set(releases.map(({ project_id }) => project_id))]
  if (ids.length === 0) return new Map()
  const rows = await locatedProjects(db)
    .where(among(db, 'projects.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function findRelease(db: Db, project_id: number, tag_name: string): Promise<AuthoredRelease | null> {
  const row = await releasesOf(db, project_id).where('releases.tag_name', '=', tag_name).executeTakeFirst()
  return row ? authored(row) : null
}

/** The newest release that isn't upcoming. */
export async function latestRelease(db: Db, project_id: number): Promise<AuthoredRelease | null> {
  const row = await releasesOf(db, project_id)
    .where('releases.released_at', '<=', now())
    .orderBy('releases.released_at', 'desc')
    .orderBy('releases.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? authored(row) : null
}

function releasesOf(db: Db, project_id: number) {
  return authoredReleases(db).where('releases.project_id', '=', project_id)
}

function authoredReleases(db: Db) {
  return db
    .selectFrom('releases')
    .leftJoin('users', 'users.id', 'releases.author_id')
    .selectAll('releases')
    .select(['users.name as author_name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
}

type Row = Awaited<ReturnType<ReturnType<typeof releasesOf>['executeTakeFirstOrThrow']>>

function authored({ author_name, username, state, kind, avatar_name, ...release }: Row): AuthoredRelease {
  const { author_id } = release
  const author =
    author_id === null || author_name === null || username === null || state === null || kind === null
      ? null
      : { id: author_id, name: author_name, username, state, kind, avatar_name }
  return { ...release, author }
}

/** Null if it was deleted meanwhile. */
export async function updateRelease(db: Db, id: number, change: Updateable<ReleaseTable>): Promise<Release | null> {
  const updated = await db
    .updateTable('releases')
    .set({ ...change, updated_at: now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return updated ?? null
}

export async function moveReleases(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('releases').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** The links of these releases by the id of each, the newest first. */
export async function linksOf(db: Db, releaseIds: number[]): Promise<Map<number, ReleaseLink[]>> {
  const links = new Map<number, ReleaseLink[]>(releaseIds.map((id) => [id, []]))
  if (releaseIds.length === 0) return links
  const rows = await db.selectFrom('release_links').selectAll().where('release_id', 'in', releaseIds).orderBy('id', 'desc').execute()
  for (const row of rows) links.get(row.release_id)?.push(row)
  return links
}

/** The milestones of these releases that the viewer can see, by the id of each, the oldest first. */
export async function milestonesOf(db: Db, viewer: Viewer, releaseIds: number[]): Promise<Map<number, PlacedMilestone[]>> {
  const milestones = new Map<number, PlacedMilestone[]>(releaseIds.map((id) => [id, []]))
  if (releaseIds.length === 0) return milestones
  const found = placedMilestones(db)
    .innerJoin('release_milestones', 'release_milestones.milestone_id', 'milestones.id')
    .select('release_milestones.release_id')
    .where(among(db, 'release_milestones.release_id', releaseIds))
    .where(plansVisibleTo(db, await withMemberships(db, viewer), 'milestones'))
    .orderBy('milestones.id')
  for (const { release_id, ...milestone } of await rowsByKeptPlan(db, found)) milestones.get(release_id)?.push(milestone)
  return milestones
}

/** Replaces the milestones of the release. */
export async function replaceMilestones(tx: Tx, release_id: number, milestoneIds: number[]): Promise<void> {
  await tx.deleteFrom('release_milestones').where('release_id', '=', release_id).execute()
  if (milestoneIds.length === 0) return
  await tx
    .insertInto('release_milestones')
    .values(milestoneIds.map((milestone_id) => ({ release_id, milestone_id })))
    .execute()
}

export async function findLink(db: Db, release_id: number, id: number): Promise<ReleaseLink | null> {
  const row = await db.selectFrom('release_links').selectAll().where('release_id', '=', release_id).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

export async function findLinkByPath(db: Db, release_id: number, filepath: string): Promise<ReleaseLink | null> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', release_id).where('filepath', '=', filepath)
  return (await query.executeTakeFirst()) ?? null
}

/** Throws a unique violation if its name, URL or path is taken in the release. */
export function insertLink(db: Db, link: Omit<Insertable<ReleaseLinkTable>, 'created_at'>): Promise<ReleaseLink> {
  return db
    .insertInto('release_links')
    .values({ ...link, created_at: now() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Throws as `insertLink`. */
export function updateLink(db: Db, id: number, change: Updateable<ReleaseLinkTable>): Promise<ReleaseLink> {
  return db.updateTable('release_links').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteLink(db: Db, id: number): Promise<void> {
  await db.deleteFrom('release_links').where('id', '=', id).execute()
}
