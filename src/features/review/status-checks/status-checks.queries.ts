/** SQL for status checks: those of a project, their branches, and their answers about merge requests. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { Hook, StatusCheckAnswer } from '../../../db/tables.ts'

const ofProject = prepared((db: Db, project_id: number) =>
  db.selectFrom('hooks').selectAll().where('project_id', '=', project_id).where('is_status_check', '=', sql.lit(true)).orderBy('id'),
)

const branchesIn = prepared((db: Db, project_id: number) =>
  db
    .selectFrom('status_check_branches')
    .innerJoin('hooks', 'hooks.id', 'status_check_branches.hook_id')
    .selectAll('status_check_branches')
    .where('hooks.project_id', '=', project_id)
    .orderBy('protected_branch_id'),
)

export interface StatusCheck extends Hook {
  /** The rules of branches that it is for; none for all branches. */
  protected_branch_ids: number[]
}

/** Oldest first. One statement if there are none, two otherwise. */
export async function checksOfProject(db: Db, project_id: number): Promise<StatusCheck[]> {
  const hooks = await ofProject(db, project_id)
  const branches = hooks.length === 0 ? [] : await branchesIn(db, project_id)
  return hooks.map((hook) => ({
    ...hook,
    protected_branch_ids: branches.filter(({ hook_id }) => hook_id === hook.id).map(({ protected_branch_id }) => protected_branch_id),
  }))
}

/** Replaces the branches that it is for. */
export async function replaceBranches(tx: Tx, hook_id: number, protected_branch_ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('status_check_branches').where('hook_id', '=', hook_id).execute()
  const rows = [...new Set(protected_branch_ids)].map((protected_branch_id) => ({ hook_id, protected_branch_id }))
  if (rows.length > 0) await tx.insertInto('status_check_branches').values(rows).execute()
}

export const answersAbout = prepared((db: Db, merge_request_id: number) =>
  db.selectFrom('status_check_answers').selectAll().where('merge_request_id', '=', merge_request_id),
)

/** The last answer counts. */
export function saveAnswer(
  tx: Tx,
  answer: Pick<StatusCheckAnswer, 'merge_request_id' | 'hook_id' | 'head_oid' | 'status'>,
): Promise<StatusCheckAnswer> {
  const { head_oid, status } = answer
  const updated_at = now()
  return tx
    .insertInto('status_check_answers')
    .values({ ...answer, updated_at })
    .onConflict((conflict) => conflict.columns(['merge_request_id', 'hook_id']).doUpdateSet({ head_oid, status, updated_at }))
    .returningAll()
    .executeTakeFirstOrThrow()
}
