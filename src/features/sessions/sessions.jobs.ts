/** Background work of sessions. */
import type { AnyJob } from '../../queue/queue.ts'

export const sessionJobs: AnyJob[] = []
