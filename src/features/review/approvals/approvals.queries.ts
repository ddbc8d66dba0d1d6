/** SQL for approvals. */
import type { Db, Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Instant } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

export interface Approval {
  user: UserInBrief
  approved_at: Instant
}

/** Users who have approved it, in order: one statement. */
export async function approvalsOf(db: Db, mergeRequestId: number): Promise<Approval[]> {
  const found = await db
    .selectFrom('approvals')
    .innerJoin('users', 'users.id', 'approvals.user_id')
    .select(['users.id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name', 'approvals.created_at'])
    .where('approvals.merge_request_id', '=', mergeRequestId)
    .orderBy('approvals.created_at')
    .orderBy('users.id')
    .execute()
  return found.map(({ created_at, ...user }) => ({ user, approved_at: created_at }))
}

/** False if the user has already approved it. */
export async function insertApproval(tx: Tx, merge_request_id: number, user_id: number, created_at: Instant): Promise<boolean> {
  const inserted = tx
    .insertInto('approvals')
    .values({ merge_request_id, user_id, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
  return (await inserted.executeTakeFirst()) !== undefined
}

/** False if there was none. */
export async function deleteApproval(tx: Tx, merge_request_id: number, user_id: number): Promise<boolean> {
  const deleted = tx
    .deleteFrom('approvals')
    .where('merge_request_id', '=', merge_request_id)
    .where('user_id', '=', user_id)
    .returning('user_id')
  return (await deleted.executeTakeFirst()) !== undefined
}

export async function deleteApprovals(tx: Tx, merge_request_id: number): Promise<void> {
  await tx.deleteFrom('approvals').where('merge_request_id', '=', merge_request_id).execute()
}

/** Deletes the approvals of the given users. Two statements. */
export async function deleteApprovalsOf(tx: Tx, merge_request_id: number, userIds: readonly number[]): Promise<void> {
  const given = await tx.selectFrom('approvals').select('user_id').where('merge_request_id', '=', merge_request_id).execute()
  const named = new Set(userIds)
  const gone = given.flatMap(({ user_id }) => (named.has(user_id) ? user_id : []))
  if (gone.length === 0) return
  await tx
    .deleteFrom('approvals')
    .where('merge_request_id', '=', merge_request_id)
    .where(among(tx, 'user_id', gone))
    .execute()
}
