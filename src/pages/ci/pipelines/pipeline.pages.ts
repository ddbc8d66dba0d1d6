/** The page of a pipeline: its stages drawn, its jobs as a list, and what can be done with it. */
import { Type } from 'typebox'
import { inTransaction } from '../../../db/database.ts'
import { jobReaders } from '../../../features/ci/overviews/overviews.ts'
import { pipelineChanged, pipelineDeleted, removePipeline } from '../../../features/ci/pipelines/pipelines.ts'
import { cancelPipeline, retryPipeline } from '../../../features/ci/processing/processing.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page } from '../../frame/declaration.ts'
import { pipelineAddress, pipelinesAddress } from '../parts.ts'
import { pipelineInPath } from '../seen.ts'
import { sentences } from '../sentences.ts'
import { failuresView, graphView, jobsView } from './pipeline-view.ts'

const access = within(jobReaders, pipelineInPath)

export const onePipelinePages = [
  page('GET /:project/pipelines/:pipeline_id', { access, show: (seen) => graphView(seen) }),
  page('GET /:project/pipelines/:pipeline_id/builds', {
    access,
    query: { retried: Type.Boolean({ default: false }) },
    show: ({ sent, ...seen }) => jobsView(seen, sent.retried),
  }),
  page('GET /:project/pipelines/:pipeline_id/failures', { access, show: (seen) => failuresView(seen) }),
  action('POST /:project/pipelines/:pipeline_id/retry', {
    access: pipelineChanged,
    async act({ app, user, project, pipeline }) {
      const changed = await inTransaction(app.db, (tx) => retryPipeline(tx, pipeline.id, user.id))
      return { redirect: pipelineAddress(project, pipeline.id), notice: changed ? sentences.retried : sentences.notNow }
    },
  }),
  action('POST /:project/pipelines/:pipeline_id/cancel', {
    access: pipelineChanged,
    async act({ app, project, pipeline }) {
      const changed = await inTransaction(app.db, (tx) => cancelPipeline(tx, pipeline.id))
      return { redirect: pipelineAddress(project, pipeline.id), notice: changed ? sentences.canceled : sentences.notNow }
    },
  }),
  action('POST /:project/pipelines/:pipeline_id/delete', {
    access: pipelineDeleted,
    async act({ app, project, pipeline }) {
      await removePipeline(app, pipeline)
      return { redirect: pipelinesAddress(project), notice: sentences.deleted(pipeline.id) }
    },
  }),
]
