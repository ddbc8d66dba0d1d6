/** Removes approvals when a merge request changes, since they were given for its former diff. */
import { findProject } from '../../../access/find.ts'
import { everything } from '../../../access/visible.ts'
import type { Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { approvalSettingsOf, usersOwning } from '../approval-rules/approval-rules.ts'
import { versionById } from '../versions/versions.ts'
import { approvalsOf, deleteApprovalsOf } from './approvals.queries.ts'
import { resetApprovalsIn } from './approvals.service.ts'
import { lostByPush } from './losing.ts'

/** A version with the same head only follows its target. What else takes approvals away is a setting of the project. */
export async function resetAfterPush(tx: Tx, event: EventOf<'merge_request_version_created'>): Promise<void> {
  const { merge_request, actor_id, at, before_version_id, is_same_change, changed_owners } = event
  const { id, head_oid, project_id } = merge_request
  if ((await versionById(tx, id, before_version_id))?.head_oid === head_oid) return
  const settings = await approvalSettingsOf(tx, project_id)
  const lost = lostByPush(settings, event)
  if (lost === 'all') return resetApprovalsIn(tx, id)
  if (lost === 'owners') return deleteApprovalsOf(tx, id, await ownersNamed(tx, project_id, changed_owners ?? []))
  const isNoted = is_same_change && settings.reset_approvals_on === 'change'
  if (isNoted && (await approvalsOf(tx, id)).length > 0)
    await publish(tx, { type: 'merge_request_approvals_kept', merge_request, actor_id, at })
}

async function ownersNamed(tx: Tx, project_id: number, owners: readonly string[]): Promise<number[]> {
  if (owners.length === 0) return []
  const { project } = await findProject(tx, String(project_id), everything)
  return usersOwning(tx, project, owners)
}

export async function resetAfterRetarget(tx: Tx, { merge_request, before }: EventOf<'merge_request_changed'>): Promise<void> {
  if (merge_request.target_branch !== before.target_branch) await resetApprovalsIn(tx, merge_request.id)
}
