/** SQL for the queues of merge requests. */
import { sql, type Updateable } from 'kysely'
import { type Db, type Found, lockedRows, type PageOf, type Tx } from '../../../db/database.ts'
import { pageById, totalOf } from '../../../db/list-cache.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { MergeTrainCar, MergeTrainCarTable, PipelineStatus } from '../../../db/tables.ts'
import { inRuledPlace, type RuledPlace } from '../../review/approval-rules/approval-rules.ts'

/** A queue: those that wait to be merged into one branch. */
export interface TrainPlace {
  project_id: number
  target_branch: string
}

export interface WaitingCar extends MergeTrainCar {
  /** The status of the pipeline of its batch. */
  pipeline_status: PipelineStatus | null
}

/** The queue of a branch, in order. */
export function waitingCars(db: Db, { project_id, target_branch }: TrainPlace): Promise<WaitingCar[]> {
  return db
    .selectFrom('merge_train_cars')
    .leftJoin('pipelines', 'pipelines.id', 'merge_train_cars.pipeline_id')
    .selectAll('merge_train_cars')
    .select('pipelines.status as pipeline_status')
    .where('merge_train_cars.project_id', '=', project_id)
    .where('merge_train_cars.target_branch', '=', target_branch)
    .where('merge_train_cars.merged_at', 'is', null)
    .orderBy('merge_train_cars.id')
    .execute()
}

export async function carOf(db: Db, merge_request_id: number): Promise<MergeTrainCar | null> {
  const found = db.selectFrom('merge_train_cars').selectAll().where('merge_request_id', '=', merge_request_id)
  return (await found.executeTakeFirst()) ?? null
}

/** Its car while it waits, locked; null if it has none. */
export async function lockWaitingCar(tx: Tx, merge_request_id: number): Promise<MergeTrainCar | null> {
  const found = tx
    .selectFrom('merge_train_cars')
    .selectAll()
    .where('merge_request_id', '=', merge_request_id)
    .where('merged_at', 'is', null)
  return (await lockedRows(tx, found).executeTakeFirst()) ?? null
}

/** How many wait in it up to this car. */
export async function positionOf(db: Db, { project_id, target_branch, id }: MergeTrainCar): Promise<number> {
  const { before } = await db
    .selectFrom('merge_train_cars')
    .select((eb) => eb.fn.countAll<number>().as('before'))
    .where('project_id', '=', project_id)
    .where('target_branch', '=', target_branch)
    .where('merged_at', 'is', null)
    .where('id', '<=', id)
    .executeTakeFirstOrThrow()
  return Number(before)
}

type Given = 'project_id' | 'merge_request_id' | 'target_branch' | 'head_oid' | 'stacked_branch' | 'after_oid' | 'created_at' | 'updated_at'

export type NewCar = Pick<MergeTrainCar, Given> & { user_id: number }

export function insertCar(tx: Tx, car: NewCar): Promise<MergeTrainCar> {
  return tx
    .insertInto('merge_train_cars')
    .values({ ...car, status: 'idle' })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes the given cars that still wait, and returns their number. */
export async function updateCars(tx: Tx, ids: readonly number[], change: Updateable<MergeTrainCarTable>): Promise<number> {
  const changed = tx
    .updateTable('merge_train_cars')
    .set(change)
    .where(among(tx, 'id', ids))
    .where('merged_at', 'is', null)
  return Number((await changed.executeTakeFirst()).numUpdatedRows)
}

export async function deleteCar(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('merge_train_cars').where('id', '=', id).execute()
}

/** Every queue in which something waits. */
export function trainsWaiting(db: Db): Promise<TrainPlace[]> {
  return db.selectFrom('merge_train_cars').select(['project_id', 'target_branch']).distinct().where('merged_at', 'is', null).execute()
}

/** The given branches that have a queue. */
export async function trainsAmong(db: Db, project_id: number, branches: string[]): Promise<TrainPlace[]> {
  return db
    .selectFrom('merge_train_cars')
    .select(['project_id', 'target_branch'])
    .distinct()
    .where('project_id', '=', project_id)
    .where(among(db, 'target_branch', branches))
    .where('merged_at', 'is', null)
    .execute()
}

/** Merge requests that wait in the name of a user. */
export async function waitingOf(db: Db, user_id: number): Promise<number[]> {
  const found = db.selectFrom('merge_train_cars').select('merge_request_id').where('user_id', '=', user_id).where('merged_at', 'is', null)
  return (await found.orderBy('id').execute()).map(({ merge_request_id }) => merge_request_id)
}

/** The cars that wait in a project, or in all below a group. */
export async function waitingIn(db: Db, place: RuledPlace): Promise<number[]> {
  const found = db.selectFrom('merge_train_cars').select('merge_request_id').where(inRuledPlace(place)).where('merged_at', 'is', null)
  return (await found.orderBy('id').execute()).map(({ merge_request_id }) => merge_request_id)
}

/** The pipeline that tests the result with this id, if the process died before it could be noted. */
export async function testOf(db: Db, { merge_request_id, merged_oid }: MergeTrainCar): Promise<number | null> {
  const found = await db
    .selectFrom('pipelines')
    .select('id')
    .where('merge_request_id', '=', merge_request_id)
    .where('sha', '=', merged_oid as string)
    .where('source', '=', 'merge_request_event')
    .where('ref', 'like', 'refs/merge-requests/%/train')
    .where('status', 'not in', ['canceled', 'skipped'])
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return found?.id ?? null
}

export interface CarFilter {
  project_id: number
  target_branch: string | null
  /** Whether they wait, or were merged; both by default. */
  scope: 'active' | 'complete' | null
  sort: 'asc' | 'desc'
}

export async function pageOfCars(
  db: Db,
  { project_id, target_branch, scope, sort }: CarFilter,
  page: PageOf,
): Promise<Found<MergeTrainCar>> {
  const found = db
    .selectFrom('merge_train_cars')
    .where('project_id', '=', project_id)
    .$if(target_branch !== null, (query) => query.where('target_branch', '=', target_branch as string))
    .$if(scope === 'active', (query) => query.where('merged_at', 'is', null))
    .$if(scope === 'complete', (query) => query.where('merged_at', 'is not', null))
  const total = await totalOf(db, found)
  if (total <= page.offset) return { rows: [], total }
  const ids = found.orderBy('id', sort).select('id')
  return { rows: await pageById(db, ids, page, carsById), total }
}

function carsById(db: Db, ids: readonly number[]): Promise<MergeTrainCar[]> {
  return db
    .selectFrom('merge_train_cars')
    .selectAll()
    .where(among(db, 'id', ids))
    .execute()
}

/** The number of those that wait in each branch of a project. */
export async function waitingByBranch(db: Db, project_id: number): Promise<Array<{ target_branch: string; waiting: number }>> {
  const rows = await db
    .selectFrom('merge_train_cars')
    .select(['target_branch', sql<number>`count(*)`.as('waiting')])
    .where('project_id', '=', project_id)
    .where('merged_at', 'is', null)
    .groupBy('target_branch')
    .orderBy('target_branch')
    .execute()
  return rows.map(({ target_branch, waiting }) => ({ target_branch, waiting: Number(waiting) }))
}
