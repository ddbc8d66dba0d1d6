/** Reactions of milestones to events of other features. */
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Milestone } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import { insertMilestone, milestonesLeftBehind, milestoneTitled, replaceMilestoneIn } from './milestones.queries.ts'

/**
 * A project that leaves its group keeps the group's milestones that its issues, merge requests and releases have: as those of its new
 * place, or as its own.
 */
export async function carryMilestones(tx: Tx, { project_id, to_namespace_id }: EventOf<'project_transferred'>): Promise<void> {
  for (const left of await milestonesLeftBehind(tx, project_id, to_namespace_id)) {
    const found = await milestoneTitled(tx, { project_id, below: to_namespace_id }, left.title)
    const { id } = found ?? (await insertCopy(tx, left, project_id))
    await replaceMilestoneIn(tx, project_id, left.id, id)
  }
}

async function insertCopy(tx: Tx, milestone: Milestone, project_id: number): Promise<Milestone> {
  const { title, description, state, start_date, due_date, closed_at } = milestone
  const created_at = now()
  const iid = await nextNumber(tx, { project_id }, 'milestone')
  const place = { iid, project_id, namespace_id: null, created_at, updated_at: created_at }
  return insertMilestone(tx, { ...place, title, description, state, start_date, due_date, closed_at })
}
