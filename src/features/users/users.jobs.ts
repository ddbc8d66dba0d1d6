/** Background work of users. */
import type { AnyJob } from '../../queue/queue.ts'

export const userJobs: AnyJob[] = []
