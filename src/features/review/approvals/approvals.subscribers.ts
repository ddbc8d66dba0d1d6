/** Removes approvals when a merge request changes, since they were given for its former diff. */
import type { Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { approvalSettingsOf } from '../approval-rules/approval-rules.ts'
import { versionById } from '../versions/versions.ts'
import { approvalsOf } from './approvals.queries.ts'
import { resetApprovalsIn } from './approvals.service.ts'

/** A version with the same head only follows its target. What else takes approvals away is a setting of the project. */
export async function resetAfterPush(tx: Tx, event: EventOf<'merge_request_version_created'>): Promise<void> {
  const { merge_request, actor_id, at, before_version_id, is_same_change } = event
  const before = await versionById(tx, merge_request.id, before_version_id)
  if (before?.head_oid === merge_request.head_oid) return
  const { reset_approvals_on } = await approvalSettingsOf(tx, merge_request.project_id)
  if (reset_approvals_on === 'never') return
  if (reset_approvals_on === 'push' || !is_same_change) return resetApprovalsIn(tx, merge_request.id)
  if ((await approvalsOf(tx, merge_request.id)).length > 0)
    await publish(tx, { type: 'merge_request_approvals_kept', merge_request, actor_id, at })
}

export async function resetAfterRetarget(tx: Tx, { merge_request, before }: EventOf<'merge_request_changed'>): Promise<void> {
  if (merge_request.target_branch !== before.target_branch) await resetApprovalsIn(tx, merge_request.id)
}
