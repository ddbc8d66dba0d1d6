/** SQL for resource groups. */
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiResourceGroup } from '../../../db/tables.ts'

/** Oldest first. */
export function listResourceGroups(db: Db, project_id: number, page: PageOf): Promise<{ rows: CiResourceGroup[]; total: number }> {
  return paginate(db.selectFrom('ci_resource_groups').selectAll().where('project_id', '=', project_id).orderBy('id'), page)
}

export async function resourceGroupAt(db: Db, project_id: number, key: string): Promise<CiResourceGroup | null> {
  const found = db.selectFrom('ci_resource_groups').selectAll().where('project_id', '=', project_id).where('key', '=', key)
  return (await found.executeTakeFirst()) ?? null
}

/** Null if it has been deleted meanwhile. */
export async function setProcessMode(db: Db, id: number, process_mode: CiResourceGroup['process_mode']): Promise<CiResourceGroup | null> {
  const changed = db.updateTable('ci_resource_groups').set({ process_mode, updated_at: now() }).where('id', '=', id)
  return (await changed.returningAll().executeTakeFirst()) ?? null
}
