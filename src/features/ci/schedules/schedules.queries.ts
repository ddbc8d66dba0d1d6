/** SQL for pipeline schedules and their variables. Values are sealed. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type Db, isUniqueViolation, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { CiSchedule, CiScheduleTable, CiScheduleVariableTable, Instant, Pipeline } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'

export type ScheduleVariable = Selectable<CiScheduleVariableTable>

/** Oldest first. */
export function listSchedules(
  db: Db,
  project_id: number,
  scope: 'active' | 'inactive' | undefined,
  page: PageOf,
): Promise<{ rows: CiSchedule[]; total: number }> {
  const all = db.selectFrom('ci_schedules').selectAll().where('project_id', '=', project_id)
  return paginate((scope ? all.where('active', '=', scope === 'active') : all).orderBy('id'), page)
}

export async function scheduleAt(db: Db, project_id: number, id: number): Promise<CiSchedule | null> {
  const found = db.selectFrom('ci_schedules').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

export async function scheduleById(db: Db, id: number): Promise<CiSchedule | null> {
  return (await db.selectFrom('ci_schedules').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Locked; null if it has been deleted meanwhile. */
export async function lockSchedule(tx: Tx, id: number): Promise<CiSchedule | null> {
  return (await lockedRows(tx, tx.selectFrom('ci_schedules').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

export async function countSchedules(db: Db, project_id: number): Promise<number> {
  const { total } = await db
    .selectFrom('ci_schedules')
    .select(sql<number>`count(*)`.as('total'))
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return Number(total)
}

export function insertSchedule(db: Db, row: Insertable<CiScheduleTable>): Promise<CiSchedule> {
  return db.insertInto('ci_schedules').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it has been deleted meanwhile. */
export async function updateSchedule(db: Db, id: number, changes: Updateable<CiScheduleTable>): Promise<CiSchedule | null> {
  return (await db.updateTable('ci_schedules').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteSchedule(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_schedules').where('id', '=', id).execute()
}

/** Due schedules, the earliest first; locked, so that no other process starts them. */
export function dueSchedules(tx: Tx, at: Instant, limit: number): Promise<CiSchedule[]> {
  const due = tx.selectFrom('ci_schedules').selectAll().where('active', '=', true).where('next_run_at', '<=', at)
  return lockedRows(tx, due.orderBy('next_run_at').limit(limit)).execute()
}

/** The newest pipeline of each of these schedules. */
export async function lastPipelinesOf(db: Db, ids: number[]): Promise<Map<number, Pipeline>> {
  if (ids.length === 0) return new Map()
  const newest = db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where(among(db, 'schedule_id', ids))
    .groupBy('schedule_id')
  const rows = await db.selectFrom('pipelines').selectAll().where('id', 'in', newest).execute()
  return new Map(rows.map((row) => [row.schedule_id as number, row]))
}

export async function hasPipelineSince(db: Db, schedule_id: number, since: Instant): Promise<boolean> {
  const found = db.selectFrom('pipelines').select('id').where('schedule_id', '=', schedule_id).where('created_at', '>=', since).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** Newest first. */
export function pipelinesOfSchedule(db: Db, schedule_id: number, page: PageOf): Promise<{ rows: Pipeline[]; total: number }> {
  return paginate(db.selectFrom('pipelines').selectAll().where('schedule_id', '=', schedule_id).orderBy('id', 'desc'), page)
}

export function variablesOf(db: Db, schedule_id: number): Promise<ScheduleVariable[]> {
  return db.selectFrom('ci_schedule_variables').selectAll().where('schedule_id', '=', schedule_id).orderBy('key').execute()
}

export async function variableAt(db: Db, schedule_id: number, key: string): Promise<ScheduleVariable | null> {
  const found = db.selectFrom('ci_schedule_variables').selectAll().where('schedule_id', '=', schedule_id).where('key', '=', key)
  return (await found.executeTakeFirst()) ?? null
}

/** Throws 400 if the schedule already has one with this key. */
export async function insertVariable(db: Db, row: ScheduleVariable): Promise<ScheduleVariable> {
  try {
    return await db.insertInto('ci_schedule_variables').values(row).returningAll().executeTakeFirstOrThrow()
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid({ key: ['has already been taken'] }, error)
    throw error
  }
}

export async function updateVariable(
  db: Db,
  { schedule_id, key }: ScheduleVariable,
  changes: Pick<ScheduleVariable, 'value' | 'kind'>,
): Promise<ScheduleVariable | null> {
  const changed = db.updateTable('ci_schedule_variables').set(changes).where('schedule_id', '=', schedule_id).where('key', '=', key)
  return (await changed.returningAll().executeTakeFirst()) ?? null
}

export async function deleteVariable(db: Db, { schedule_id, key }: ScheduleVariable): Promise<void> {
  await db.deleteFrom('ci_schedule_variables').where('schedule_id', '=', schedule_id).where('key', '=', key).execute()
}
