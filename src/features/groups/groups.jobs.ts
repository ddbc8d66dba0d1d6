/** Background work of groups. */
import type { AnyJob } from '../../queue/queue.ts'

export const groupJobs: AnyJob[] = []
