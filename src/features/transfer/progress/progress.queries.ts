/** SQL for the progress of imports, forks and exports. */
import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { TransferProgressTable } from '../../../db/tables.ts'

export type Work = TransferProgressTable['work']

export type Progress = Pick<Selectable<TransferProgressTable>, 'done_bytes' | 'total_bytes' | 'updated_at'>

export async function noteProgress(db: Db, project_id: number, work: Work, done_bytes: number, total_bytes: number | null): Promise<void> {
  const state = { done_bytes, total_bytes, updated_at: now() }
  await db
    .insertInto('transfer_progress')
    .values({ project_id, work, ...state })
    .onConflict((conflict) => conflict.columns(['project_id', 'work']).doUpdateSet(state))
    .execute()
}

/** Null before anything is known, and after the work has ended. */
export async function findProgress(db: Db, project_id: number, work: Work): Promise<Progress | null> {
  const found = await db
    .selectFrom('transfer_progress')
    .select(['done_bytes', 'total_bytes', 'updated_at'])
    .where('project_id', '=', project_id)
    .where('work', '=', work)
    .executeTakeFirst()
  return found ?? null
}

export async function endProgress(db: Db, project_id: number, work: Work): Promise<void> {
  await db.deleteFrom('transfer_progress').where('project_id', '=', project_id).where('work', '=', work).execute()
}
