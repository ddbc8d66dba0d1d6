/** The time of issues and merge requests as JSON. */
import type { Issue } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { humanDuration } from './durations.ts'
import type { TimeStats } from './issuables.schema.ts'

export type Times = Pick<Issue, 'time_estimate' | 'total_time_spent'>

export function presentTimeStats({ time_estimate, total_time_spent }: Times): Presented<typeof TimeStats> {
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: humanDuration(time_estimate),
    human_total_time_spent: humanDuration(total_time_spent),
  }
}
