/** The table of subscribers: what follows from each domain event, in this order. Apart from the index: `gitstead shell` needs no endpoint. */
import { enqueued, inSameTransaction, type Subscriber } from '../domain-events/domain-events.ts'
import { housekeepingJob } from './repository/housekeeping/housekeeping.jobs.ts'
import { afterPush_ms } from './repository/housekeeping/housekeeping.service.ts'
import { protectDefaultBranch } from './repository/protected-refs/protected-refs.service.ts'
import { describePushesJob } from './repository/pushes/pushes.jobs.ts'
import { countStatsJob } from './repository/stats/stats.jobs.ts'
import { recountAfterPush } from './repository/stats/stats.service.ts'
import { measureProjectJob } from './spaces/projects/projects.jobs.ts'
import { notePush } from './spaces/projects/projects.service.ts'

export const subscribers: Subscriber[] = [
  inSameTransaction('refs_pushed', notePush),
  enqueued('refs_pushed', measureProjectJob, ({ project_id }) => ({ project_id })),
  inSameTransaction('refs_pushed', protectDefaultBranch),
  enqueued('refs_pushed', countStatsJob, recountAfterPush),
  enqueued('refs_pushed', describePushesJob, ({ project_id }) => ({ project_id })),
  enqueued('refs_pushed', housekeepingJob, ({ project_id }) => ({ project_id }), { delay_ms: afterPush_ms }),

  enqueued('project_restored', measureProjectJob, ({ project_id }) => ({ project_id })),
  enqueued('project_restored', countStatsJob, recountAfterPush),
  enqueued('project_restored', housekeepingJob, ({ project_id }) => ({ project_id }), { delay_ms: afterPush_ms }),
]
