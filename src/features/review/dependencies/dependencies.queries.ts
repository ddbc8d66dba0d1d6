/** SQL for merge requests that wait for others: which block which, and which of them somebody sees. */
import { mergeRequestsVisibleTo, type Viewer } from '../../../access/visible.ts'
import { type Db, type Found, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among, prepared } from '../../../db/prepared-queries.ts'
import type { MergeRequest, MergeRequestBlock } from '../../../db/tables.ts'
import type { Stacked } from './stacks.ts'

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
    .selectFrom('merge_requests as own')
    .select(['own.id', 'own.iid', 'own.title', 'own.source_branch', 'own.target_branch'])
    .where('own.project_id', '=', projectId)
    .where('own.state', '=', 'opened')
    .where('own.source_project_id', '=', projectId)
    .where((eb) => {
      const meets = (own: 'own.source_branch' | 'own.target_branch', other: 'other.source_branch' | 'other.target_branch') =>
        eb.exists(
          eb
            .selectFrom('merge_requests as other')
            .select('other.id')
            .where('other.project_id', '=', projectId)
            .where('other.source_project_id', '=', projectId)
            .where('other.state', '=', 'opened')
            .whereRef(other, '=', own),
        )
      return eb.or([meets('own.target_branch', 'other.source_branch'), meets('own.source_branch', 'other.target_branch')])
    })
    .orderBy('own.id')
    .limit(1_000),
)

/** Commits with change ids, of all newest versions that are looked at together. */
const maxChanges = 2_000

/** The change ids in the newest version of a merge request, the oldest first. */
export const changesOf = prepared((db: Db, id: number) =>
  db
    .selectFrom('merge_request_version_commits as listed')
    .select('listed.change_id')
    .where('listed.version_id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions as newest')
        .select(({ fn }) => fn.max('newest.id').as('id'))
        .where('newest.merge_request_id', '=', id),
    )
    .where('listed.change_id', 'is not', null)
    .orderBy('listed.position', 'desc')
    .limit(maxChanges),
)

/**
 * Open ones of the same author in the same project with one of these changes, each with its change ids. Anybody can write a change id into a
 * commit: those of others say nothing about a stack.
 */
export async function sharingChanges(
  db: Db,
  { project_id, author_id }: Pick<MergeRequest, 'project_id' | 'author_id'>,
  change_ids: readonly string[],
): Promise<Stacked[]> {
  const rows = await db
    .selectFrom('merge_requests as own')
    .innerJoin('merge_request_versions as version', 'version.merge_request_id', 'own.id')
    .innerJoin('merge_request_version_commits as listed', 'listed.version_id', 'version.id')
    .select(['own.id', 'own.iid', 'own.title', 'own.source_branch', 'own.target_branch', 'own.source_project_id', 'listed.change_id'])
    .where('own.project_id', '=', project_id)
    .where('own.author_id', '=', author_id)
    .where('own.state', '=', 'opened')
    .where('listed.change_id', 'is not', null)
    .where('version.id', 'in', (eb) =>
      eb
        .selectFrom('merge_request_version_commits as shared')
        .select('shared.version_id')
        .where(among(db, 'shared.change_id', change_ids)),
    )
    .where('version.id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions as newest')
        .select(({ fn }) => fn.max('newest.id').as('id'))
        .whereRef('newest.merge_request_id', '=', 'own.id'),
    )
    .orderBy('own.id')
    .orderBy('listed.position', 'desc')
    .limit(maxChanges)
    .execute()
  const found = new Map<number, Stacked & { change_ids: string[] }>()
  for (const { change_id, source_project_id, ...row } of rows) {
    const one = found.get(row.id) ?? { ...row, isOwn: source_project_id === project_id, change_ids: [] }
    found.set(row.id, one)
    if (change_id !== null) one.change_ids.push(change_id)
  }
  // The last may have been read in part, and would seem to change less than it does.
  if (rows.length === maxChanges) found.delete(rows.at(-1)?.id ?? 0)
  return [...found.values()]
}

/** The ids of those that were built on a merged one, as the changes in their commits tell. One statement where it has no change ids. */
export async function withChangesOf(db: Db, merged: MergeRequest): Promise<number[]> {
  const change_ids = (await changesOf(db, merged.id)).flatMap(({ change_id }) => change_id ?? [])
  if (change_ids.length === 0) return []
  const found = await sharingChanges(db, merged, change_ids)
  return found.filter(({ id, target_branch }) => id !== merged.id && target_branch === merged.target_branch).map(({ id }) => id)
}

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
