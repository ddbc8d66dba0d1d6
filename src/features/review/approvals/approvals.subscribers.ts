/** Removes approvals when a merge request changes, since they were given for its former diff. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { versionById } from '../versions/versions.ts'
import { resetApprovalsIn } from './approvals.service.ts'

/** A version with the same head only follows its target. */
export async function resetAfterPush(tx: Tx, event: EventOf<'merge_request_version_created'>): Promise<void> {
  const { merge_request, before_version_id } = event
  const before = await versionById(tx, merge_request.id, before_version_id)
  if (before?.head_oid !== merge_request.head_oid) await resetApprovalsIn(tx, merge_request.id)
}

export async function resetAfterRetarget(tx: Tx, { merge_request, before }: EventOf<'merge_request_changed'>): Promise<void> {
  if (merge_request.target_branch !== before.target_branch) await resetApprovalsIn(tx, merge_request.id)
}
