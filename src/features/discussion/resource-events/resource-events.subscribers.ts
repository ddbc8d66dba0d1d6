/** Records changes of a noteable: each label added or removed, each milestone set or removed, each change of its state. */
import type { Tx } from '../../../db/database.ts'
import type { Instant } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { columnsOf, keyOf, noteableOfEvent } from '../../noteable-kinds.ts'
import { insertLabelEvents, insertMilestoneEvents, insertStateEvent } from './resource-events.queries.ts'

export async function recordFirstLabels(tx: Tx, event: EventOf<'issue_created' | 'merge_request_created'>): Promise<void> {
  if ('copy_of' in event && event.copy_of) return
  await insertLabelEvents(tx, actOf(event), { added: event.label_ids, removed: [] })
  await insertMilestoneEvents(tx, actOf(event), null, noteableOfEvent(event).row.milestone_id)
}

export async function recordChanges(tx: Tx, event: EventOf<'issue_changed' | 'merge_request_changed'>): Promise<void> {
  await insertLabelEvents(tx, actOf(event), event.labels)
  const [before, after] = [event.before.milestone_id, noteableOfEvent(event).row.milestone_id]
  if (before !== after) await insertMilestoneEvents(tx, actOf(event), before, after)
}

export function recordClosing(tx: Tx, event: EventOf<'issue_closed' | 'merge_request_closed'>): Promise<void> {
  return insertStateEvent(tx, actOf(event), 'closed')
}

export function recordReopening(tx: Tx, event: EventOf<'issue_reopened' | 'merge_request_reopened'>): Promise<void> {
  return insertStateEvent(tx, actOf(event), 'reopened')
}

export function recordMerge(tx: Tx, event: EventOf<'merge_request_merged'>): Promise<void> {
  return insertStateEvent(tx, actOf(event), 'merged')
}

function actOf(event: Parameters<typeof noteableOfEvent>[0] & { actor_id: number; at: Instant }) {
  return { ...columnsOf(keyOf(noteableOfEvent(event))), user_id: event.actor_id, created_at: event.at }
}
