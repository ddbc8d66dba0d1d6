/** SQL for push mirrors. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { PushMirror } from '../../../db/tables.ts'

export type PushMirrorSettings = Partial<Omit<PushMirror, 'id' | 'project_id' | 'created_at' | 'updated_at'>>

/** Oldest first. */
export function listPushMirrors(db: Db, project_id: number, page: PageOf): Promise<{ rows: PushMirror[]; total: number }> {
  return paginate(db.selectFrom('push_mirrors').selectAll().where('project_id', '=', project_id).orderBy('id'), page)
}

export async function pushMirrorIn(db: Db, project_id: number, id: number): Promise<PushMirror | null> {
  const found = db.selectFrom('push_mirrors').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

/** The enabled mirrors of a project, or the one with this id. */
export function enabledPushMirrors(db: Db, which: { project_id: number } | { id: number }): Promise<PushMirror[]> {
  const enabled = db.selectFrom('push_mirrors').selectAll().where('enabled', '=', true)
  const found = 'id' in which ? enabled.where('id', '=', which.id) : enabled.where('project_id', '=', which.project_id)
  return found.orderBy('id').execute()
}

export async function countPushMirrors(db: Db, project_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('push_mirrors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function insertPushMirror(
  db: Db,
  mirror: PushMirrorSettings & Pick<PushMirror, 'project_id' | 'user_id' | 'url'>,
): Promise<PushMirror> {
  const at = now()
  return db
    .insertInto('push_mirrors')
    .values({ ...mirror, created_at: at, updated_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Null if it has been removed. */
export async function updatePushMirror(
  db: Db,
  id: number,
  change: PushMirrorSettings & Pick<PushMirror, 'user_id'>,
): Promise<PushMirror | null> {
  const changed = db.updateTable('push_mirrors').set({ ...change, updated_at: now() })
  return (await changed.where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

export async function deletePushMirror(db: Db, id: number): Promise<void> {
  await db.deleteFrom('push_mirrors').where('id', '=', id).execute()
}
