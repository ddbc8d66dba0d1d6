/** Starts the pipelines of bridges, and follows their status. */
import { inTransaction } from '../../../db/database.ts'
import { type AnyJob, type Job, job } from '../../../queue/queue.ts'
import { pipelinesOf } from '../pipelines/pipelines.ts'
import { cancelPipeline } from '../processing/processing.ts'
import { openChildren } from './downstream.queries.ts'
import { followDownstream, startDownstream } from './downstream.service.ts'

export const startDownstreamJob: Job<{ project_id: number; job_id: number }> = job('pipelines.start_downstream', {
  lane: 'pipelines',
  key: ({ job_id }) => `start downstream of ${job_id}`,
  serial: ({ project_id }) => pipelinesOf(project_id),
  handle: (app, { job_id }) => startDownstream(app, job_id),
})

export const followDownstreamJob: Job<{ pipeline_id: number }> = job('pipelines.follow_downstream', {
  key: ({ pipeline_id }) => `follow downstream ${pipeline_id}`,
  handle: (app, { pipeline_id }) => followDownstream(app, pipeline_id),
})

/** Cancels the child pipelines of a canceled pipeline, which then cancel theirs. */
export const cancelChildrenJob: Job<{ pipeline_id: number; project_id: number }> = job('pipelines.cancel_children', {
  key: ({ pipeline_id }) => `cancel children of ${pipeline_id}`,
  async handle(app, { pipeline_id, project_id }) {
    for (const id of await openChildren(app.db, { id: pipeline_id, project_id }))
      await inTransaction(app.db, (tx) => cancelPipeline(tx, id))
  },
})

export const downstreamJobs: AnyJob[] = [startDownstreamJob, followDownstreamJob, cancelChildrenJob]
