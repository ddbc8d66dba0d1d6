/** Gathers the facts of a merge request for hooks and status checks. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { idsBefore, type MergeRequestFacts, relatedOfMergeRequest } from '../payloads/payloads.ts'

export type OfMergeRequest = Pick<EventOf<'merge_request_closed'>, 'merge_request' | 'actor_id'>

export type AboutMergeRequest = Pick<MergeRequestFacts, 'action' | 'before'> & { oldrev?: string }

/** @param changed what the same change did to people and labels, which have no columns */
export async function mergeRequestFacts(
  tx: Tx,
  { merge_request: row, actor_id: user_id }: OfMergeRequest,
  about: AboutMergeRequest,
  changed: Partial<Pick<EventOf<'merge_request_changed'>, 'assignees' | 'labels'>> = {},
): Promise<MergeRequestFacts> {
  const related = await relatedOfMergeRequest(tx, row)
  const { assignees, labels } = changed
  const before = about.before && {
    ...about.before,
    ...(assignees && { assignee_ids: idsBefore(related.assignee_ids, assignees) }),
    ...(labels && { label_ids: idsBefore(related.label_ids, labels) }),
  }
  const { action, oldrev = null } = about
  return { kind: 'merge_request', action, oldrev, project_id: row.project_id, user_id, row, before, ...related }
}
