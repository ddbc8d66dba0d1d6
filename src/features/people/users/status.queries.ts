/** SQL for what users say they are at. */
import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { UserStatusTable } from '../../../db/tables.ts'

export type UserStatus = Selectable<UserStatusTable>

export async function statusOf(db: Db, user_id: number): Promise<UserStatus | null> {
  return (await db.selectFrom('user_statuses').selectAll().where('user_id', '=', user_id).executeTakeFirst()) ?? null
}

export async function upsertStatus(db: Db, { user_id, ...said }: UserStatus): Promise<void> {
  await db
    .insertInto('user_statuses')
    .values({ user_id, ...said })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(said))
    .execute()
}

export async function deleteStatus(db: Db, user_id: number): Promise<void> {
  await db.deleteFrom('user_statuses').where('user_id', '=', user_id).execute()
}
