/** facts */
import type { Endpoint } from '../../http/endpoint.ts'
import type { AnyJob } from '../../queue/queue.ts'

export const repositoryFacts: Endpoint[] = []
export const repositoryFactsJobs: AnyJob[] = []
