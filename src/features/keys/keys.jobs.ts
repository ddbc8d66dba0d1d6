/** Keeps the authorized_keys file. */
import type { AnyJob } from '../../queue/queue.ts'

export const keyJobs: AnyJob[] = []
