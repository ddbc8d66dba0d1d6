/** Housekeeping on request. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { isUnderWay } from '../../../git/maintenance/housekeeping.ts'
import { enqueue } from '../../../queue/queue.ts'
import { housekeepingJob, keyOf } from './housekeeping.jobs.ts'
import { isWaiting } from './housekeeping.queries.ts'

/** Throws 409 while an earlier request waits, or housekeeping is running. */
export async function startHousekeeping(app: App, project_id: number): Promise<void> {
  const payload = { project_id, asked: true }
  if (await isHousekeepingDue(app, project_id)) {
    throw new Failure('conflict', 'Somebody already triggered housekeeping for this project in the past 1440 minutes')
  }
  await enqueue(app.db, housekeepingJob, payload)
}

/** Whether an earlier request waits, or housekeeping is running. One statement. */
export async function isHousekeepingDue(app: App, project_id: number): Promise<boolean> {
  return (await isWaiting(app.db, keyOf({ project_id, asked: true }))) || (await isUnderWay(app.git.open(project_id)))
}
