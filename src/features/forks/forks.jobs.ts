/** Background work of forks. */
import type { AnyJob } from '../../queue/queue.ts'

export const forkJobs: AnyJob[] = []
