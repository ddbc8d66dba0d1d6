/** Changes how approvals are given and lost, in a project or in all projects below a group. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { type RuleEditor, requireAnybody } from './approval-rules.service.ts'
import {
  type ApprovalSettingsChange,
  type ApprovalSettingsWithin,
  approvalSettingsWithin,
  groupApprovalSettings,
  saveApprovalSettings,
  saveGroupApprovalSettings,
} from './settings.queries.ts'

/** @param approvals_before_merge how many approvals anybody may give: kept in the rule that names nobody */
export function changeApprovalSettings(
  app: App,
  editor: RuleEditor,
  { approvals_before_merge, ...change }: ApprovalSettingsChange & { approvals_before_merge?: number | undefined },
): Promise<ApprovalSettingsWithin> {
  const project_id = editor.project.id
  return inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    const before = await approvalSettingsWithin(tx, project_id)
    if (Object.keys(change).length > 0) await saveApprovalSettings(tx, project_id, change)
    const after = await approvalSettingsWithin(tx, project_id)
    await publish(tx, { type: 'approval_settings_changed', of: { project_id }, before: before.own, after: after.own })
    if (approvals_before_merge !== undefined) await requireAnybody(tx, editor, approvals_before_merge)
    return after
  })
}

/** Takes effect in all projects below at once, without a change of their own settings: those apply again when the group relents. */
export function changeGroupApprovalSettings(app: App, group_id: number, change: ApprovalSettingsChange): Promise<ApprovalSettingsWithin> {
  return inTransaction(app.db, async (tx) => {
    const before = await groupApprovalSettings(tx, group_id)
    if (Object.keys(change).length > 0) await saveGroupApprovalSettings(tx, group_id, change)
    const after = await groupApprovalSettings(tx, group_id)
    await publish(tx, { type: 'approval_settings_changed', of: { namespace_id: group_id }, before: before.own, after: after.own })
    return after
  })
}
