/** Background work of exports and imports of archives. */
import type { AnyJob } from '../../queue/queue.ts'

export const exportJobs: AnyJob[] = []
