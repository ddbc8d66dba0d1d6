/** SQL for triggers. Tokens are sealed in all rows, and found by their digests. */
import { type Insertable, sql, type Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiTrigger, CiTriggerTable } from '../../../db/tables.ts'

/** Oldest first. */
export function listTriggers(db: Db, project_id: number, page: PageOf): Promise<{ rows: CiTrigger[]; total: number }> {
  return paginate(db.selectFrom('ci_triggers').selectAll().where('project_id', '=', project_id).orderBy('id'), page)
}

export async function triggerAt(db: Db, project_id: number, id: number): Promise<CiTrigger | null> {
  const found = db.selectFrom('ci_triggers').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

/** Any owner's, but only in its project. Null for an expired one. */
export async function triggerByDigest(db: Db, project_id: number, token_digest: string): Promise<CiTrigger | null> {
  const found = await db
    .selectFrom('ci_triggers')
    .selectAll()
    .where('token_digest', '=', token_digest)
    .where('project_id', '=', project_id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now())]))
    .executeTakeFirst()
  return found ?? null
}

export async function sealedTokenOf(db: Db, id: number): Promise<string | null> {
  return (await db.selectFrom('ci_triggers').select('token').where('id', '=', id).executeTakeFirst())?.token ?? null
}

export async function countTriggers(db: Db, project_id: number): Promise<number> {
  const { total } = await db
    .selectFrom('ci_triggers')
    .select(sql<number>`count(*)`.as('total'))
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return Number(total)
}

export function insertTrigger(db: Db, row: Insertable<CiTriggerTable>): Promise<CiTrigger> {
  return db.insertInto('ci_triggers').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Null if it has been deleted meanwhile. */
export async function updateTrigger(db: Db, id: number, changes: Updateable<CiTriggerTable>): Promise<CiTrigger | null> {
  return (await db.updateTable('ci_triggers').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deleteTrigger(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_triggers').where('id', '=', id).execute()
}
