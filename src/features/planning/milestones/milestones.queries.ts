/** SQL for milestones of projects and groups. */

import { type Insertable, sql, type Updateable } from 'kysely'
import { milestonesOn } from '../../../access/events.ts'
import { withMemberships } from '../../../access/memberships.ts'
import { plansVisibleTo } from '../../../access/plans.ts'
import type { Viewer } from '../../../access/visible.ts'
import { groupsOfMember, projectsOfMember, projectsVisibleTo } from '../../../access/visible.ts'
import { contains, type Db, lastingRows, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { among, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { Instant, Milestone, MilestoneTable } from '../../../db/tables.ts'
import type { PlacedMilestone } from './milestones.present.ts'

/** The place whose milestones are listed: a project below its namespace, or a group. */
export type MilestonePlace = { project_id: number; below: number } | { namespace_id: number }

export interface MilestoneFilter {
  iids?: number[] | undefined
  state?: 'active' | 'closed' | 'all' | undefined
  title?: string | undefined
  /** Part of the title or the description. */
  search?: string | undefined
  updated_before?: Instant | undefined
  updated_after?: Instant | undefined
  /** Whether to include those of the groups above. */
  inherited?: boolean | undefined
}

/** Milestones with the paths of their places: the base of every query for milestones. */
export function placedMilestones(db: Db) {
  return db
    .selectFrom('milestones')
    .innerJoin('routes', (join) =>
      join.on((eb) =>
        eb.or([
          eb('routes.project_id', '=', eb.ref('milestones.project_id')),
          eb('routes.namespace_id', '=', eb.ref('milestones.namespace_id')),
        ]),
      ),
    )
    .selectAll('milestones')
    .select(sql<string>`routes.path`.as('place_path'))
}

/** The milestones with these ids, in any order, in any place. */
export async function milestonesByIds(db: Db, ids: number[]): Promise<PlacedMilestone[]> {
  return ids.length === 0 ? [] : placedMilestones(db).where('milestones.id', 'in', ids).execute()
}

/** The milestones with these ids that the viewer can see. */
export async function visibleMilestones(db: Db, viewer: Viewer, ids: number[]): Promise<PlacedMilestone[]> {
  if (ids.length === 0) return []
  const named = placedMilestones(db).where(among(db, 'milestones.id', ids))
  return rowsByKeptPlan(db, named.where(plansVisibleTo(db, await withMemberships(db, viewer), 'milestones')))
}

/** Newest first. */
export function listMilestones(
  db: Db,
  place: MilestonePlace,
  filter: MilestoneFilter,
  page: PageOf,
): Promise<{ rows: PlacedMilestone[]; total: number }> {
  const { iids, state = 'all', title, search, updated_before, updated_after, inherited = false } = filter
  let found = milestonesAt(db, place, inherited)
  // A number means a different milestone in each place, so the filter is ignored.
  if (iids && !inherited) found = found.where('milestones.iid', 'in', iids)
  if (state !== 'all') found = found.where('milestones.state', '=', state)
  if (title !== undefined) found = found.where('milestones.title', '=', title)
  if (search) found = found.where((eb) => eb.or([contains('milestones.title', search), contains('milestones.description', search)]))
  if (updated_before) found = found.where('milestones.updated_at', '<=', updated_before)
  if (updated_after) found = found.where('milestones.updated_at', '>=', updated_after)
  return paginate(found.orderBy('milestones.id', 'desc'), page)
}

/**
 * The user's active milestones: of the groups and projects they are a member of, except archived ones and those without issues and merge
 * requests. Ordered by due date, those without one last.
 */
export function listMilestonesOfMember(
  db: Db,
  user_id: number,
  search: string,
  page: PageOf,
): Promise<{ rows: PlacedMilestone[]; total: number }> {
  let found = placedMilestones(db)
    .where('milestones.state', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('milestones.namespace_id', 'in', db.selectFrom('namespaces').select('namespaces.id').where(groupsOfMember(user_id))),
        eb(
          'milestones.project_id',
          'in',
          db
            .selectFrom('projects')
            .select('projects.id')
            .where(projectsOfMember({ id: user_id }))
            .where('projects.archived', '=', false)
            .where((project) =>
              project.or([project('issues_access_level', '!=', 'disabled'), project('merge_requests_access_level', '!=', 'disabled')]),
            ),
        ),
      ]),
    )
  if (search !== '') found = found.where((eb) => eb.or([contains('milestones.title', search), contains('milestones.description', search)]))
  return paginate(found.orderBy(sql`coalesce(milestones.due_date, '9999-12-31')`).orderBy('milestones.id'), page)
}

export async function milestoneAt(db: Db, place: MilestonePlace, id: number, inherited: boolean): Promise<PlacedMilestone | null> {
  return (await milestonesAt(db, place, inherited).where('milestones.id', '=', id).executeTakeFirst()) ?? null
}

/** The milestone with this title; the place's own takes precedence, then the oldest. */
export async function milestoneTitled(db: Db, place: MilestonePlace, title: string): Promise<PlacedMilestone | null> {
  const found = await milestonesAt(db, place, true).where('milestones.title', '=', title).orderBy('milestones.id').execute()
  return found.find(({ project_id }) => 'project_id' in place && project_id !== null) ?? found[0] ?? null
}

/**
 * The milestones of the place and above it with one of these titles, its own first, then the oldest. They can't be deleted until the
 * transaction ends.
 */
export async function milestonesTitled(db: Db, place: MilestonePlace, titles: string[]): Promise<PlacedMilestone[]> {
  if (titles.length === 0) return []
  const found = milestonesAt(db, place, true).where('milestones.title', 'in', titles).orderBy('milestones.id')
  const rows = await lastingRows(db, found, 'milestones').execute()
  const isOwn = ({ project_id }: PlacedMilestone) => 'project_id' in place && project_id !== null
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))]
}

export async function milestoneNumbered(db: Db, place: MilestonePlace, iid: number): Promise<PlacedMilestone | null> {
  return (await milestonesAt(db, place, false).where('milestones.iid', '=', iid).executeTakeFirst()) ?? null
}

function milestonesAt(db: Db, place: MilestonePlace, inherited: boolean) {
  const found = placedMilestones(db)
  if (!inherited) {
    return 'project_id' in place
      ? found.where('milestones.project_id', '=', place.project_id)
      : found.where('milestones.namespace_id', '=', place.namespace_id)
  }
  const namespace = 'project_id' in place ? place.below : place.namespace_id
  return found.where((eb) =>
    eb.or([
      eb(
        'milestones.namespace_id',
        'in',
        eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespace),
      ),
      ...('project_id' in place ? [eb('milestones.project_id', '=', place.project_id)] : []),
    ]),
  )
}

/** Whether a milestone of the project, its group or, for a group, its projects has the title. */
export async function isTitleTaken(tx: Tx, place: MilestonePlace, title: string, exceptId: number | null): Promise<boolean> {
  const found = await tx
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('id', '!=', exceptId ?? 0)
    .where((eb) =>
      'project_id' in place
        ? eb.or([eb('project_id', '=', place.project_id), eb('namespace_id', '=', place.below)])
        : eb.or([
            eb('namespace_id', '=', place.namespace_id),
            eb('project_id', 'in', eb.selectFrom('projects').select('projects.id').where('projects.namespace_id', '=', place.namespace_id)),
          ]),
    )
    .executeTakeFirst()
  return found !== undefined
}

export function insertMilestone(tx: Tx, milestone: Insertable<MilestoneTable>): Promise<Milestone> {
  return tx.insertInto('milestones').values(milestone).returningAll().executeTakeFirstOrThrow()
}

/** Null if it was deleted meanwhile. */
export async function updateMilestone(tx: Tx, id: number, change: Updateable<MilestoneTable>): Promise<Milestone | null> {
  return (await tx.updateTable('milestones').set(change).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteMilestone(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('milestones').where('id', '=', id).execute()
}

/** The ids of those with this title in the projects of a group, locked until the transaction ends. */
export async function milestonesTitledBelow(tx: Tx, namespaceId: number, title: string): Promise<number[]> {
  const projects = tx.selectFrom('projects').select('projects.id').where('projects.namespace_id', '=', namespaceId)
  const found = tx.selectFrom('milestones').select('id').where('project_id', 'in', projects).where('title', '=', title).orderBy('id')
  return (await lockedRows(tx, found).execute()).map(({ id }) => id)
}

/** Replaces these milestones by the given one on everything that has one of them; nothing may refer to the given one yet. */
export async function mergeMilestonesInto(tx: Tx, milestone_id: number, ids: number[]): Promise<void> {
  for (const table of ['issues', 'merge_requests', 'release_milestones', 'milestone_events'] as const)
    await tx.updateTable(table).set({ milestone_id }).where('milestone_id', 'in', ids).execute()
}

/** Milestones of groups that are not above the namespace, but that issues, merge requests or releases of the project use. */
export function milestonesLeftBehind(tx: Tx, projectId: number, namespaceId: number): Promise<Milestone[]> {
  const above = tx.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespaceId)
  const used = tx
    .selectFrom('issues')
    .select('issues.milestone_id')
    .where('issues.project_id', '=', projectId)
    .union(tx.selectFrom('merge_requests').select('merge_requests.milestone_id').where('merge_requests.project_id', '=', projectId))
    .union(
      tx
        .selectFrom('release_milestones')
        .select('release_milestones.milestone_id')
        .where('release_milestones.release_id', 'in', releasesIn(tx, projectId)),
    )
  return tx
    .selectFrom('milestones')
    .selectAll()
    .where('namespace_id', 'is not', null)
    .where('namespace_id', 'not in', above)
    .where('id', 'in', used)
    .orderBy('id')
    .execute()
}

function releasesIn(db: Db, project_id: number) {
  return db.selectFrom('releases').select('releases.id').where('releases.project_id', '=', project_id)
}

/** Replaces the milestone by the other one on everything of the project, including records of changes. */
export async function replaceMilestoneIn(tx: Tx, projectId: number, from: number, milestone_id: number): Promise<void> {
  for (const [table, column] of [
    ['issues', 'issue_id'],
    ['merge_requests', 'merge_request_id'],
  ] as const) {
    const those = tx.selectFrom(table).select('id').where('project_id', '=', projectId)
    await tx.updateTable(table).set({ milestone_id }).where('project_id', '=', projectId).where('milestone_id', '=', from).execute()
    await tx.updateTable('milestone_events').set({ milestone_id }).where('milestone_id', '=', from).where(column, 'in', those).execute()
  }
  // A release may already have the other one, so its row is inserted again rather than updated.
  const ofReleases = tx
    .selectFrom('release_milestones')
    .select((eb) => ['release_id', eb.val(milestone_id).as('milestone_id')])
    .where('milestone_id', '=', from)
    .where('release_id', 'in', releasesIn(tx, projectId))
  await tx
    .insertInto('release_milestones')
    .columns(['release_id', 'milestone_id'])
    .expression(ofReleases)
    .onConflict((on) => on.doNothing())
    .execute()
  await tx.deleteFrom('release_milestones').where('milestone_id', '=', from).where('release_id', 'in', releasesIn(tx, projectId)).execute()
}

/**
 * Searches milestones of projects that the viewer can see (of everything, a group with everything below it, or one project) for texts with
 * all words.
 */
export async function searchMilestones(
  db: Db,
  caller: Viewer,
  scope: { project_id?: number; group_id?: number },
  words: string[],
  page: PageOf,
): Promise<{ rows: PlacedMilestone[]; total: number }> {
  const viewer = await withMemberships(db, caller)
  const has = (column: 'title' | 'description') => words.map((word) => contains(`milestones.${column}`, word))
  let projects = db.selectFrom('projects').select('projects.id').where(projectsVisibleTo(viewer)).where(milestonesOn(viewer))
  if (scope.project_id !== undefined) projects = projects.where('projects.id', '=', scope.project_id)
  if (scope.group_id !== undefined) {
    const below = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', scope.group_id)
    projects = projects.where('projects.namespace_id', 'in', below)
  }
  const found = db
    .selectFrom('milestones')
    .where('milestones.project_id', 'in', projects)
    .where((eb) => eb.or([eb.and(has('title')), eb.and(has('description'))]))
  const ids = found.select('milestones.id').orderBy('milestones.updated_at', 'desc').orderBy('milestones.id', 'desc')
  const rowsOf = (from: Db, some: number[]) => placedMilestones(from).where('milestones.id', 'in', some).execute()
  const total = await totalOf(db, found)
  return { total, rows: total > page.offset ? await pageById(db, ids, page, rowsOf) : [] }
}
