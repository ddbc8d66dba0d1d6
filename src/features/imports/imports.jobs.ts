/** Bringing in repositories from elsewhere. */
import type { AnyJob } from '../../queue/queue.ts'

export const importJobs: AnyJob[] = []
