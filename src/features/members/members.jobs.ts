/** Background work of memberships. */
import type { AnyJob } from '../../queue/queue.ts'

export const memberJobs: AnyJob[] = []
