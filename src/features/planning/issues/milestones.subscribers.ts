/** Reactions of issues to the end of a milestone. */
import type { Tx } from '../../../db/database.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { unchanged } from '../issuables/issuables.ts'
import { clearMilestone } from './issues.queries.ts'

/** Its issues have none from now on: a change of each, by whoever deleted it. */
export async function leaveMilestone(tx: Tx, { milestone, actor_id, at }: EventOf<'milestone_removed'>): Promise<void> {
  for (const { before, issue } of await clearMilestone(tx, milestone.id, at))
    await publish(tx, { type: 'issue_changed', before, issue, actor_id, at, assignees: unchanged, labels: unchanged })
}
