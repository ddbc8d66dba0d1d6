/** Background work for the totals of lists. */
import { foldCounts } from '../../db/list-counts.ts'
import { type AnyJob, job } from '../../queue/queue.ts'

const foldCountsJob = job<object>('lists.fold_counts', {
  every_ms: 10 * 60_000,
  handle: (app) => foldCounts(app.db),
})

export const listCountJobs: AnyJob[] = [foldCountsJob]
