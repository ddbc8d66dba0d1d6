/** housekeeping */
import type { Endpoint } from '../../http/endpoint.ts'
import type { AnyJob } from '../../queue/queue.ts'

export const housekeeping: Endpoint[] = []
export const housekeepingJobs: AnyJob[] = []
