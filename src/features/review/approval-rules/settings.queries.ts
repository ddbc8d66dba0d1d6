/** How approvals are given and lost in a project: its row, or the defaults. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { ApprovalSettings } from '../../../db/tables.ts'

export type ApprovalSettingsChange = Partial<Omit<ApprovalSettings, 'project_id'>>

const defaults: Omit<ApprovalSettings, 'project_id'> = {
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  reset_approvals_on: 'change',
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  require_password_to_approve: false,
}

const settingsRow = prepared((db: Db, projectId: number) =>
  db.selectFrom('approval_settings').selectAll().where('project_id', '=', projectId),
)

export async function approvalSettingsOf(db: Db, project_id: number): Promise<ApprovalSettings> {
  const [row] = await settingsRow(db, project_id)
  return row ?? { project_id, ...defaults }
}

export function saveApprovalSettings(db: Db, project_id: number, change: ApprovalSettingsChange): Promise<ApprovalSettings> {
  return db
    .insertInto('approval_settings')
    .values({ project_id, ...change })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id, ...change }))
    .returningAll()
    .executeTakeFirstOrThrow()
}
