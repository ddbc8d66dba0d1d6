/** SQL for merge requests that wait for others: which block which, and which of them somebody sees. */
import { mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { MergeRequest, MergeRequestBlock } from '../../../db/tables.ts'

/** Which end of a block a merge request is. */
export type End = 'blocking_merge_request_id' | 'blocked_merge_request_id'

/** The blocks at whose one end the merge request is, the oldest first. */
export function blocksAt(db: Db, end: End, id: number, page: PageOf): Promise<Found<MergeRequestBlock>> {
  return paginate(db.selectFrom('merge_request_blocks').selectAll().where(end, '=', id).orderBy('id'), page)
}

export async function blockOf(db: Db, blockedId: number, id: number): Promise<MergeRequestBlock | null> {
  const found = db.selectFrom('merge_request_blocks').selectAll().where('blocked_merge_request_id', '=', blockedId)
  return (await found.where('id', '=', id).executeTakeFirst()) ?? null
}

const unmergedBefore = prepared((db: Db, id: number) =>
  db
    .selectFrom('merge_request_blocks')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_blocks.blocking_merge_request_id')
    .select('merge_requests.id')
    .where('merge_request_blocks.blocked_merge_request_id', '=', id)
    .where('merge_requests.state', '!=', 'merged')
    .limit(1),
)

/** Whether one that must be merged before isn't yet; a closed one still blocks. One statement. */
export async function isBlocked(db: Db, id: number): Promise<boolean> {
  return (await unmergedBefore(db, id)).length > 0
}

/** The given merge requests that the viewer can see. */
export async function visibleAmong(db: Db, viewer: Viewer, ids: readonly number[]): Promise<Map<number, MergeRequest>> {
  if (ids.length === 0) return new Map()
  const found = db.selectFrom('merge_requests').innerJoin('projects', 'projects.id', 'merge_requests.project_id')
  const rows = await found
    .selectAll('merge_requests')
    .where(among(db, 'merge_requests.id', ids))
    .where(mergeRequestsVisibleTo(viewer))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The ids of those that block one of these directly. */
export async function blockersOf(db: Db, ids: readonly number[]): Promise<number[]> {
  const found = db.selectFrom('merge_request_blocks').select('blocking_merge_request_id').distinct()
  return (await found.where(among(db, 'blocked_merge_request_id', ids)).execute()).map((row) => row.blocking_merge_request_id)
}

/** The merge requests that wait for it and are to be merged once nothing blocks them. */
export function scheduledAfter(db: Db, id: number): Promise<MergeRequest[]> {
  const found = db
    .selectFrom('merge_request_blocks')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_blocks.blocked_merge_request_id')
    .selectAll('merge_requests')
    .where('merge_request_blocks.blocking_merge_request_id', '=', id)
  return found
    .where('merge_requests.state', '=', 'opened')
    .where('merge_when_pipeline_succeeds', '=', true)
    .orderBy('merge_requests.id')
    .execute()
}

/** Open ones whose target is the source branch of another open one of their project; more are not told apart. */
export const stackedIn = prepared((db: Db, projectId: number) =>
  db
    .selectFrom('merge_requests as upper')
    .select(['upper.id', 'upper.iid', 'upper.title', 'upper.source_branch', 'upper.target_branch', 'upper.source_project_id'])
    .where('upper.project_id', '=', projectId)
    .where('upper.state', '=', 'opened')
    .where('upper.source_project_id', '=', projectId)
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('merge_requests as lower')
            .select('lower.id')
            .where('lower.source_project_id', '=', projectId)
            .where('lower.project_id', '=', projectId)
            .where('lower.state', '=', 'opened')
            .whereRef('lower.source_branch', '=', 'upper.target_branch'),
        ),
        eb.exists(
          eb
            .selectFrom('merge_requests as above')
            .select('above.id')
            .where('above.project_id', '=', projectId)
            .where('above.source_project_id', '=', projectId)
            .where('above.state', '=', 'opened')
            .whereRef('above.target_branch', '=', 'upper.source_branch'),
        ),
      ]),
    )
    .orderBy('upper.id')
    .limit(1_000),
)

export async function countAt(db: Db, end: End, id: number): Promise<number> {
  const counted = db.selectFrom('merge_request_blocks').select(({ fn }) => fn.countAll<number>().as('count'))
  return Number((await counted.where(end, '=', id).executeTakeFirst())?.count ?? 0)
}

/** In the order of their ids, so that two that lock the same ones don't wait for each other. */
export async function lockAll(tx: Tx, ids: readonly number[]): Promise<void> {
  await lockedRows(
    tx,
    tx
      .selectFrom('merge_requests')
      .select('id')
      .where(among(tx, 'id', ids))
      .orderBy('id'),
  ).execute()
}

export function insertBlock(tx: Tx, blocking_merge_request_id: number, blocked_merge_request_id: number): Promise<MergeRequestBlock> {
  const row = { blocking_merge_request_id, blocked_merge_request_id, created_at: now() }
  return tx.insertInto('merge_request_blocks').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function deleteBlock(db: Db, id: number): Promise<void> {
  await db.deleteFrom('merge_request_blocks').where('id', '=', id).execute()
}
