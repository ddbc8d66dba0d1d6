/** What is recorded of an issue that changes: each label added or removed, each milestone set or removed, each closing and reopening. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { insertLabelEvents, insertMilestoneEvents, insertStateEvent } from './resource-events.queries.ts'

export async function recordFirstLabels(tx: Tx, event: EventOf<'issue_created'>): Promise<void> {
  if (event.copy_of) return
  await insertLabelEvents(tx, actOf(event), { added: event.label_ids, removed: [] })
  await insertMilestoneEvents(tx, actOf(event), null, event.issue.milestone_id)
}

export async function recordChanges(tx: Tx, event: EventOf<'issue_changed'>): Promise<void> {
  await insertLabelEvents(tx, actOf(event), event.labels)
  const [before, after] = [event.before.milestone_id, event.issue.milestone_id]
  if (before !== after) await insertMilestoneEvents(tx, actOf(event), before, after)
}

export function recordClosing(tx: Tx, event: EventOf<'issue_closed'>): Promise<void> {
  return insertStateEvent(tx, actOf(event), 'closed')
}

export function recordReopening(tx: Tx, event: EventOf<'issue_reopened'>): Promise<void> {
  return insertStateEvent(tx, actOf(event), 'reopened')
}

function actOf({ issue, actor_id, at }: EventOf<'issue_closed' | 'issue_reopened' | 'issue_created' | 'issue_changed'>) {
  return { issue_id: issue.id, user_id: actor_id, created_at: at }
}
