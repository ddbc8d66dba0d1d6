/** Events of milestones. */
import type { Instant, Milestone } from '../db/tables.ts'

export type MilestoneEvent = MilestoneCreated | MilestoneClosed | MilestoneReopened | MilestoneRemoved

interface OfMilestone {
  /** As the transaction left it. */
  milestone: Milestone
  actor_id: number
  at: Instant
}

export interface MilestoneCreated extends OfMilestone {
  type: 'milestone_created'
}

export interface MilestoneClosed extends OfMilestone {
  type: 'milestone_closed'
}

export interface MilestoneReopened extends OfMilestone {
  type: 'milestone_reopened'
}

/** Published before its row is deleted. */
export interface MilestoneRemoved extends OfMilestone {
  type: 'milestone_removed'
}
