/** Keeps order among large files. */
import type { AnyJob } from '../../queue/queue.ts'

export const lfsJobs: AnyJob[] = []
