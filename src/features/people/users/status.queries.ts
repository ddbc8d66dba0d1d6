/** SQL for user statuses. */
import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { UserStatusTable } from '../../../db/tables.ts'

export type UserStatus = Selectable<UserStatusTable>

export async function statusOf(db: Db, user_id: number): Promise<UserStatus | null> {
  return (await db.selectFrom('user_statuses').selectAll().where('user_id', '=', user_id).executeTakeFirst()) ?? null
}

export async function upsertStatus(db: Db, { user_id, ...columns }: UserStatus): Promise<void> {
  await db
    .insertInto('user_statuses')
    .values({ user_id, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

export async function deleteStatus(db: Db, user_id: number): Promise<void> {
  await db.deleteFrom('user_statuses').where('user_id', '=', user_id).execute()
}
