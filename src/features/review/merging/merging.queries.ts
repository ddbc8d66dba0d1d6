/** SQL for merges under way, and for what pushes do to merge requests. */
import type { Db, Tx } from '../../../db/database.ts'
import { lockedRows } from '../../../db/database.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'

/** Those that are being merged into one of these branches. */
export function lockedOnes(tx: Tx, project_id: number, branches: string[]): Promise<MergeRequest[]> {
  return lockedRows(
    tx,
    tx
      .selectFrom('merge_requests')
      .selectAll()
      .where('project_id', '=', project_id)
      .where('target_branch', 'in', branches)
      .where('state', '=', 'locked'),
  ).execute()
}

/** Open merge requests from these branches. */
export function openFrom(db: Db, source_project_id: number, branches: string[]): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', source_project_id)
    .where('source_branch', 'in', branches)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute()
}

/** Open merge requests into a branch: their ids and tips. */
export function openInto(db: Db, project_id: number, target_branch: string): Promise<Array<Pick<MergeRequest, 'id' | 'head_oid'>>> {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'head_oid'])
    .where('project_id', '=', project_id)
    .where('target_branch', '=', target_branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute()
}

/** The branches, among these, into which merge requests are open. */
export async function targetsAmong(db: Db, project_id: number, branches: string[]): Promise<string[]> {
  const found = await db
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', project_id)
    .where('target_branch', 'in', branches)
    .where('state', '=', 'opened')
    .execute()
  return found.map(({ target_branch }) => target_branch)
}

/** Names and addresses for commits. */
export async function peopleNamed(db: Db, ids: number[]): Promise<Map<number, Pick<User, 'name' | 'email'>>> {
  const found = await db.selectFrom('users').select(['id', 'name', 'email']).where('id', 'in', ids).execute()
  return new Map(found.map(({ id, name, email }) => [id, { name, email }]))
}
