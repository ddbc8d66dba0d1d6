/** What happens to milestones. */
import type { Instant, Milestone } from '../db/tables.ts'

export interface MilestoneEvent {
  type: 'milestone_created' | 'milestone_closed' | 'milestone_reopened' | 'milestone_removed'
  /** As the transaction has left it; before its row is deleted. */
  milestone: Milestone
  actor_id: number
  at: Instant
}
