/** How merge requests react to the deletion of their milestone. */
import type { Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { unchanged } from '../../planning/issuables/issuables.ts'
import { clearMilestone } from './merge-requests.queries.ts'

export async function leaveMilestoneOfMergeRequests(tx: Tx, { milestone, actor_id, at }: EventOf<'milestone_removed'>): Promise<void> {
  const rest = { actor_id, at, assignees: unchanged, reviewers: unchanged, labels: unchanged, time: null }
  for (const { before, merge_request } of await clearMilestone(tx, milestone.id, at))
    await publish(tx, { type: 'merge_request_changed', before, merge_request, ...rest })
}
