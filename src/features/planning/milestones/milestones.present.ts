/** A milestone as JSON. */
import { pageUrl } from '../../../addresses/links.ts'
import { milestoneAddress } from '../../../addresses/planning.ts'
import type { Config } from '../../../config.ts'
import { today } from '../../../db/instants.ts'
import type { Milestone } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Milestone as MilestoneSchema } from './milestones.schema.ts'

/** A milestone with the full path of its project or group. */
export interface PlacedMilestone extends Milestone {
  place_path: string
}

export function presentMilestone(config: Config, milestone: PlacedMilestone): Presented<typeof MilestoneSchema> {
  const { state, due_date } = milestone
  return {
    id: milestone.id,
    iid: milestone.iid,
    project_id: milestone.project_id ?? undefined,
    group_id: milestone.namespace_id ?? undefined,
    title: milestone.title,
    description: milestone.description,
    state,
    created_at: milestone.created_at,
    updated_at: milestone.updated_at,
    closed_at: milestone.closed_at,
    due_date,
    start_date: milestone.start_date,
    expired: state === 'active' && due_date !== null && due_date < today(),
    web_url: milestoneUrl(config, milestone),
  }
}

export function milestoneUrl(config: Config, milestone: PlacedMilestone): string {
  return pageUrl(config, milestonePath(milestone))
}

/** The path of its page. */
export function milestonePath({ place_path, namespace_id, iid }: Pick<PlacedMilestone, 'place_path' | 'namespace_id' | 'iid'>): string {
  return milestoneAddress({ kind: namespace_id === null ? 'project' : 'group', row: { full_path: place_path } }, iid)
}
