/** SQL for merge requests and what belongs to them. */
import type { Insertable, Updateable } from 'kysely'
import { isNotByBanned, type Viewer } from '../../../access/visible.ts'
import { type Db, lockedRows, type Tx } from '../../../db/database.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { Instant, MergeRequest, MergeRequestTable, MergeRequestVersion, ReviewerState } from '../../../db/tables.ts'
import type { TargetSettings } from './detailed-status.ts'

export async function mergeRequestByIid(db: Db, project_id: number, iid: number): Promise<MergeRequest | null> {
  const found = db.selectFrom('merge_requests').selectAll().where('project_id', '=', project_id).where('iid', '=', iid)
  return (await found.executeTakeFirst()) ?? null
}

/** Null, too, where a banned user wrote it and the viewer is no administrator. */
export async function shownMergeRequest(db: Db, project_id: number, iid: number, viewer: Viewer): Promise<MergeRequest | null> {
  const found = db.selectFrom('merge_requests').selectAll().where('project_id', '=', project_id).where('iid', '=', iid)
  return (await found.where(isNotByBanned('merge_requests.author_id', viewer)).executeTakeFirst()) ?? null
}

export async function mergeRequestById(db: Db, id: number): Promise<MergeRequest | null> {
  return (await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The rows with these ids, in any order. */
export const mergeRequestsByIds = prepared((db: Db, ids: readonly number[]) =>
  db
    .selectFrom('merge_requests')
    .selectAll()
    .where(among(db, 'id', ids)),
)

/** Locked until the transaction ends; null if it was deleted meanwhile. */
export async function lockMergeRequest(tx: Tx, id: number): Promise<MergeRequest | null> {
  return (await lockedRows(tx, tx.selectFrom('merge_requests').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export function insertMergeRequest(tx: Tx, row: Insertable<MergeRequestTable>): Promise<MergeRequest> {
  return tx.insertInto('merge_requests').values(row).returningAll().executeTakeFirstOrThrow()
}

export function updateMergeRequest(tx: Tx, id: number, change: Updateable<MergeRequestTable>): Promise<MergeRequest> {
  return tx.updateTable('merge_requests').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteMergeRequest(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('merge_requests').where('id', '=', id).execute()
}

/** Open merge requests with this newest commit, from or into the project in which it was built. */
export function openWithHead(db: Db, project_id: number, head_oid: string): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('head_oid', '=', head_oid)
    .where('state', '=', 'opened')
    .where((eb) => eb.or([eb('source_project_id', '=', project_id), eb('project_id', '=', project_id)]))
    .orderBy('id')
    .execute()
}

/** The open merge request between these branches, except `exceptId`. */
export async function openBetween(
  db: Db,
  branches: Pick<MergeRequest, 'source_project_id' | 'source_branch' | 'project_id' | 'target_branch'>,
  exceptId = 0,
): Promise<MergeRequest | null> {
  const found = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', branches.source_project_id)
    .where('source_branch', '=', branches.source_branch)
    .where('project_id', '=', branches.project_id)
    .where('target_branch', '=', branches.target_branch)
    .where('state', 'in', ['opened', 'locked'])
    .where('id', '!=', exceptId)
  return (await found.executeTakeFirst()) ?? null
}

/** Removes a milestone from all its merge requests, and returns each before and after. */
export async function clearMilestone(
  tx: Tx,
  milestoneId: number,
  at: Instant,
): Promise<Array<{ before: MergeRequest; merge_request: MergeRequest }>> {
  const all = tx.selectFrom('merge_requests').selectAll().where('milestone_id', '=', milestoneId).orderBy('id')
  const found = await lockedRows(tx, all).execute()
  const change = { milestone_id: null, updated_at: at }
  await tx.updateTable('merge_requests').set(change).where('milestone_id', '=', milestoneId).execute()
  return found.map((before) => ({ before, merge_request: { ...before, ...change } }))
}

export async function addReviewers(tx: Tx, merge_request_id: number, userIds: number[], created_at: Instant): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('merge_request_reviewers')
    .values(userIds.map((user_id) => ({ merge_request_id, user_id, created_at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** False if they are not a reviewer of it. */
export async function setReviewerState(tx: Tx, merge_request_id: number, user_id: number, state: ReviewerState): Promise<boolean> {
  const changed = tx.updateTable('merge_request_reviewers').set({ state }).where('merge_request_id', '=', merge_request_id)
  return (await changed.where('user_id', '=', user_id).executeTakeFirst()).numUpdatedRows > 0n
}

/** The settings of these projects that lists need. */
export async function targetsByIds(db: Db, ids: number[]): Promise<Map<number, TargetSettings>> {
  if (ids.length === 0) return new Map()
  const found = await db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['projects.id', 'routes.path as full_path', 'squash_option', 'only_allow_merge_if_all_discussions_are_resolved'])
    .where('projects.id', 'in', ids)
    .execute()
  return new Map(found.map((target) => [target.id, target]))
}

/** The given merge requests with unresolved discussions that everyone can see. */
export async function withOpenDiscussions(db: Db, ids: number[]): Promise<Set<number>> {
  const found = await db
    .selectFrom('notes')
    .select('merge_request_id')
    .distinct()
    .where('merge_request_id', 'in', ids)
    .where('type', 'is not', null)
    .where('system', '=', false)
    .where('internal', '=', false)
    .where('resolved_at', 'is', null)
    .execute()
  return new Set(found.map(({ merge_request_id }) => merge_request_id as number))
}

/** Whether nothing of the author was merged into the project before. */
export async function isFirstOf(db: Db, { id, project_id, author_id }: MergeRequest): Promise<boolean> {
  const merged = db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project_id)
    .where('author_id', '=', author_id)
    .where('state', '=', 'merged')
    .where('id', '!=', id)
  return (await merged.limit(1).executeTakeFirst()) === undefined
}

/** The newest version of the diff of each. */
export async function newestVersionsOf(db: Db, ids: number[]): Promise<Map<number, MergeRequestVersion>> {
  const found = await db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('merge_request_versions as newest')
        .select(({ fn }) => fn.max('newest.id').as('id'))
        .where('newest.merge_request_id', 'in', ids)
        .groupBy('newest.merge_request_id'),
    )
    .execute()
  return new Map(found.map((version) => [version.merge_request_id, version]))
}
