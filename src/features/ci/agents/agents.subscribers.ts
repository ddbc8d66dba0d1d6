/** How runners learn of jobs that are queued. */
import { afterCommit, type Tx } from '../../../db/database.ts'
import { announceJobs } from './queue.service.ts'

export async function tellRunners(tx: Tx): Promise<void> {
  afterCommit(tx, announceJobs)
}
