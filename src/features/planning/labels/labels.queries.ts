/** SQL for labels of projects and groups, their priorities and subscriptions. */

import { withMemberships } from '../../../access/memberships.ts'
import { plansVisibleTo } from '../../../access/plans.ts'
import { issuesVisibleTo, mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { contains, type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, rowsByKeptPlan } from '../../../db/prepared-queries.ts'
import type { Label } from '../../../db/tables.ts'

/** The place whose labels are listed: a project below its groups, or a group. */
export type LabelPlace = { project_id: number; below: number } | { namespace_id: number }

/** Only labels of the place itself, or also those of the groups above it. */
export type Reach = 'own' | 'inherited'

type LabelFields = Pick<Label, 'title' | 'color' | 'description'>

/** Which labels of places below a group are also listed, limited to those that the viewer can see. */
export interface LabelsBelow {
  viewer: Viewer
  /** Labels of the groups below it, and of their projects. */
  descendants: boolean
  /** Labels of projects. */
  projects: boolean
}

/** Ordered by title. */
export function listLabels(
  db: Db,
  place: LabelPlace,
  reach: Reach,
  search: string,
  page: PageOf,
  below: LabelsBelow | null = null,
): Promise<{ rows: Label[]; total: number }> {
  const found = below && 'namespace_id' in place ? labelsAround(db, place.namespace_id, reach, below) : labelsAt(db, place, reach)
  return paginate((search === '' ? found : found.where(contains('title', search))).orderBy('title').orderBy('id'), page)
}

export async function labelById(db: Db, place: LabelPlace, id: number): Promise<Label | null> {
  return (await labelsAt(db, place, 'inherited').where('id', '=', id).executeTakeFirst()) ?? null
}

/** The label with this title; the place's own takes precedence over those of groups above. */
export async function labelByTitle(db: Db, place: LabelPlace, title: string, reach: Reach): Promise<Label | null> {
  const found = await labelsAt(db, place, reach).where('title', '=', title).execute()
  return (
    found.find((label) => ('project_id' in place ? label.project_id !== null : label.namespace_id === place.namespace_id)) ??
    found[0] ??
    null
  )
}

/** The labels with these titles, in the place and above it; of several with one title, the place's own. Ordered by title. */
export async function labelsWithTitles(db: Db, place: LabelPlace, titles: string[]): Promise<Map<string, Label>> {
  const found = titles.length === 0 ? [] : await labelsAt(db, place, 'inherited').where('title', 'in', titles).orderBy('id').execute()
  const isOwn = (label: Label) => ('project_id' in place ? label.project_id !== null : label.namespace_id === place.namespace_id)
  return new Map([...found.filter((label) => !isOwn(label)), ...found.filter(isOwn)].map((label) => [label.title, label]))
}

/** The labels with these ids, in the place and above it. */
export async function labelsWithIds(db: Db, place: LabelPlace, ids: number[]): Promise<Label[]> {
  return ids.length === 0 ? [] : labelsAt(db, place, 'inherited').where('id', 'in', ids).orderBy('id').execute()
}

/** The labels with these ids that the viewer can see, in any place. */
export async function visibleLabels(db: Db, viewer: Viewer, ids: number[]): Promise<Map<number, Label>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('labels')
    .selectAll()
    .where(among(db, 'id', ids))
    .where(plansVisibleTo(db, await withMemberships(db, viewer), 'labels'))
  const found = await rowsByKeptPlan(db, query)
  return new Map(found.map((label) => [label.id, label]))
}

/** Skips those whose titles exist. */
export async function insertLabels(tx: Tx, project_id: number, titles: string[], color: string): Promise<void> {
  const created_at = now()
  await tx
    .insertInto('labels')
    .values(
      titles.map((title) => ({ project_id, namespace_id: null, title, color, description: null, created_at, updated_at: created_at })),
    )
    .onConflict((conflict) => conflict.columns(['project_id', 'title']).doNothing())
    .execute()
}

/** The labels of a group, above it, and below it. */
function labelsAround(db: Db, groupId: number, reach: Reach, { viewer, descendants, projects }: LabelsBelow) {
  const idsAt = labelsAt(db, { namespace_id: groupId }, reach).clearSelect().select('labels.id')
  const groups = descendants
    ? db.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', groupId)
    : db.selectFrom('namespaces').select('namespaces.id as namespace_id').where('namespaces.id', '=', groupId)
  return db
    .selectFrom('labels')
    .selectAll()
    .where((eb) => {
      const isBelow = eb.or([
        eb('labels.namespace_id', 'in', groups),
        ...(projects
          ? [eb('labels.project_id', 'in', eb.selectFrom('projects').select('projects.id').where('projects.namespace_id', 'in', groups))]
          : []),
      ])
      return eb.or([eb('labels.id', 'in', idsAt), eb.and([isBelow, plansVisibleTo(db, viewer, 'labels')])])
    })
}

function labelsAt(db: Db, place: LabelPlace, reach: Reach) {
  const labels = db.selectFrom('labels').selectAll()
  if (reach === 'own') {
    return 'project_id' in place ? labels.where('project_id', '=', place.project_id) : labels.where('namespace_id', '=', place.namespace_id)
  }
  const namespace = 'project_id' in place ? place.below : place.namespace_id
  return labels.where((eb) =>
    eb.or([
      eb(
        'namespace_id',
        'in',
        eb.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_ancestors.namespace_id', '=', namespace),
      ),
      ...('project_id' in place ? [eb('project_id', '=', place.project_id)] : []),
    ]),
  )
}

export function insertLabel(tx: Tx, place: LabelPlace, fields: LabelFields): Promise<Label> {
  const at =
    'namespace_id' in place ? { namespace_id: place.namespace_id, project_id: null } : { project_id: place.project_id, namespace_id: null }
  const created_at = now()
  return tx
    .insertInto('labels')
    .values({ ...at, ...fields, created_at, updated_at: created_at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateLabel(tx: Tx, id: number, change: Partial<LabelFields>): Promise<Label | null> {
  const changed = tx
    .updateTable('labels')
    .set({ ...change, updated_at: now() })
    .where('id', '=', id)
  return (await changed.returningAll().executeTakeFirst()) ?? null
}

export async function deleteLabel(db: Db, id: number): Promise<void> {
  await db.deleteFrom('labels').where('id', '=', id).execute()
}

/** Null removes it. */
export async function setPriority(tx: Tx, project_id: number, label_id: number, priority: number | null): Promise<void> {
  if (priority === null) {
    await tx.deleteFrom('label_priorities').where('project_id', '=', project_id).where('label_id', '=', label_id).execute()
    return
  }
  await tx
    .insertInto('label_priorities')
    .values({ project_id, label_id, priority })
    .onConflict((conflict) => conflict.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute()
}

/** Keyed by label id; labels without a priority are missing. */
export async function prioritiesOf(db: Db, projectId: number, labelIds: number[]): Promise<Map<number, number>> {
  const found = await db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where('label_id', 'in', labelIds)
    .execute()
  return new Map(found.map(({ label_id, priority }) => [label_id, priority]))
}

export interface IssueCounts {
  opened: number
  closed: number
}

/** How many open merge requests of the place that the viewer can see have each label. */
export async function countOpenMergeRequests(db: Db, place: LabelPlace, caller: Viewer, labelIds: number[]): Promise<Map<number, number>> {
  const viewer = await withMemberships(db, caller)
  const counted = db
    .selectFrom('merge_request_labels')
    // SQLite keeps this join order; otherwise it would scan all merge requests of the project.
    .crossJoin('merge_requests')
    .crossJoin('projects')
    .whereRef('merge_requests.id', '=', 'merge_request_labels.merge_request_id')
    .whereRef('projects.id', '=', 'merge_requests.project_id')
    .where(among(db, 'merge_request_labels.label_id', labelIds))
    .where('merge_requests.state', 'in', ['opened', 'locked'])
    .where((eb) => mergeRequestsVisibleTo(viewer)(eb as never))
    .select((eb) => ['merge_request_labels.label_id', eb.fn.countAll<number>().as('count')])
    .groupBy('merge_request_labels.label_id')
  const placed =
    'project_id' in place
      ? counted.where('merge_requests.project_id', '=', place.project_id)
      : counted.where('projects.namespace_id', 'in', (eb) =>
          eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', place.namespace_id),
        )
  const rows = await placed.execute()
  return new Map(rows.map(({ label_id, count }) => [label_id, Number(count)]))
}

/** How many issues of the place that the viewer can see have each label. */
export async function countIssues(db: Db, place: LabelPlace, caller: Viewer, labelIds: number[]): Promise<Map<number, IssueCounts>> {
  const viewer = await withMemberships(db, caller)
  const counted = db
    .selectFrom('issue_labels')
    // SQLite keeps this join order; otherwise it would scan all issues of the project.
    .crossJoin('issues')
    .crossJoin('projects')
    .whereRef('issues.id', '=', 'issue_labels.issue_id')
    .whereRef('projects.id', '=', 'issues.project_id')
    .where(among(db, 'issue_labels.label_id', labelIds))
    .where(issuesVisibleTo(viewer))
    .select((eb) => ['issue_labels.label_id', 'issues.state', eb.fn.countAll<number>().as('count')])
    .groupBy(['issue_labels.label_id', 'issues.state'])
  const placed =
    'project_id' in place
      ? counted.where('issues.project_id', '=', place.project_id)
      : counted.where('projects.namespace_id', 'in', (eb) =>
          eb.selectFrom('namespace_ancestors').select('namespace_ancestors.namespace_id').where('ancestor_id', '=', place.namespace_id),
        )
  const rows = await placed.execute()
  const counts = new Map<number, IssueCounts>()
  for (const { label_id, state, count } of rows)
    counts.set(label_id, { ...(counts.get(label_id) ?? { opened: 0, closed: 0 }), [state]: count })
  return counts
}

/** Which of the labels the user is subscribed to; a group's label is subscribed to per project in which it is shown. */
export async function subscribedAmong(db: Db, userId: number, projectId: number | null, labelIds: number[]): Promise<Set<number>> {
  const found = await subscriptionsOf(db, userId, projectId)
    .where('label_id', 'in', labelIds)
    .where('subscribed', '=', true)
    .select('label_id')
    .execute()
  return new Set(found.flatMap(({ label_id }) => label_id ?? []))
}

/** False if nothing changes. */
export async function setSubscription(
  tx: Tx,
  userId: number,
  projectId: number | null,
  labelId: number,
  subscribed: boolean,
): Promise<boolean> {
  const known = await subscriptionsOf(tx, userId, projectId).where('label_id', '=', labelId).select(['id', 'subscribed']).executeTakeFirst()
  if ((known?.subscribed ?? false) === subscribed) return false
  if (known) await tx.updateTable('subscriptions').set({ subscribed }).where('id', '=', known.id).execute()
  else
    await tx
      .insertInto('subscriptions')
      .values({ user_id: userId, label_id: labelId, project_id: projectId, issue_id: null, subscribed, created_at: now() })
      .execute()
  return true
}

function subscriptionsOf(db: Db, userId: number, projectId: number | null) {
  const own = db.selectFrom('subscriptions').where('user_id', '=', userId)
  return projectId === null ? own.where('project_id', 'is', null) : own.where('project_id', '=', projectId)
}
