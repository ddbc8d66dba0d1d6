/** How pipelines and jobs react to what happens to them. What follows a push is in `subscribers.ts`, among the other reactions to it. */
import { enqueued, inSameTransaction, type Subscribers } from '../domain-events/domain-events.ts'
import { tellRunners } from './ci/agents/agents.subscribers.ts'
import { followStatus, startBridges } from './ci/downstream/downstream.subscribers.ts'
import { followJobs, prepareEnvironments, repeatDeployment } from './ci/environments/environments.subscribers.ts'
import { cancelOutdatedJob } from './ci/pipelines/pipelines.jobs.ts'
import { outdating } from './ci/pipelines/pipelines.subscribers.ts'
import { startNextJob } from './ci/processing/processing.jobs.ts'
import { startLater } from './ci/processing/processing.subscribers.ts'
import { closeTraces } from './ci/traces/traces.subscribers.ts'

export const ciSubscribers: Subscribers = {
  pipeline_created: [enqueued(cancelOutdatedJob, outdating), inSameTransaction(prepareEnvironments)],
  jobs_queued: [inSameTransaction(tellRunners)],
  job_scheduled: [inSameTransaction(startLater)],
  bridges_started: [inSameTransaction(startBridges)],
  pipeline_status_changed: [inSameTransaction(followStatus)],
  resource_freed: [enqueued(startNextJob, ({ resource_group_id }) => ({ resource_group_id }))],
  job_statuses_changed: [inSameTransaction(followJobs), inSameTransaction(closeTraces)],
  job_retried: [inSameTransaction(repeatDeployment)],
}
