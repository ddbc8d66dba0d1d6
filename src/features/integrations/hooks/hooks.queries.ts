/** SQL for webhooks. */
import { sql } from 'kysely'
import { type Db, lockedRows, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Hook } from '../../../db/tables.ts'

/** The owner of a hook: a project, a group or, with neither, the instance. */
export interface HookPlace {
  project_id: number | null
  namespace_id: number | null
}

export const ofInstance: HookPlace = { project_id: null, namespace_id: null }

/** Oldest first. */
export function listHooks(db: Db, place: HookPlace, page: PageOf): Promise<{ rows: Hook[]; total: number }> {
  return paginate(hooksAt(db, place).orderBy('id'), page)
}

export async function hookAt(db: Db, place: HookPlace, id: number): Promise<Hook | null> {
  return (await hooksAt(db, place).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Null if it was deleted. */
export async function lockHook(tx: Tx, id: number): Promise<Hook | null> {
  return (await lockedRows(tx, tx.selectFrom('hooks').selectAll().where('id', '=', id)).executeTakeFirst()) ?? null
}

/** Webhooks of the place, or its status checks. */
export async function countHooks(db: Db, place: HookPlace, areChecks: boolean): Promise<number> {
  const { count } = await hooksAt(db, place, areChecks)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function hooksAt(db: Db, { project_id, namespace_id }: HookPlace, areChecks = false) {
  const hooks = db.selectFrom('hooks').selectAll().where('integration_id', 'is', null).where('is_status_check', '=', sql.lit(areChecks))
  if (project_id !== null) return hooks.where('project_id', '=', project_id)
  if (namespace_id !== null) return hooks.where('namespace_id', '=', namespace_id)
  return hooks.where('project_id', 'is', null).where('namespace_id', 'is', null)
}

export type HookSettings = Partial<Omit<Hook, keyof HookPlace | 'id' | 'created_at' | 'updated_at'>>

export function insertHook(db: Db, hook: HookPlace & HookSettings & Pick<Hook, 'url'>): Promise<Hook> {
  const at = now()
  return db
    .insertInto('hooks')
    .values({ ...hook, created_at: at, updated_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Null if it was deleted. */
export async function updateHook(db: Db, id: number, change: HookSettings): Promise<Hook | null> {
  const changed = db.updateTable('hooks').set({ ...change, updated_at: now() })
  return (await changed.where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** False if it was deleted meanwhile. */
export async function deleteHook(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('hooks').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
