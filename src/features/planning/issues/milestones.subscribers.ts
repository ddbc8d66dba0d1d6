/** How issues react to the deletion of a milestone. */
import type { Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { unchanged } from '../issuables/issuables.ts'
import { clearMilestone } from './issues.queries.ts'

/** Removes it from its issues: a change of each, by the user who deleted it. */
export async function leaveMilestone(tx: Tx, { milestone, actor_id, at }: EventOf<'milestone_removed'>): Promise<void> {
  for (const { before, issue } of await clearMilestone(tx, milestone.id, at))
    await publish(tx, { type: 'issue_changed', before, issue, actor_id, at, assignees: unchanged, labels: unchanged })
}
