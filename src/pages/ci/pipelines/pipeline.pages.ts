/** The page of a pipeline: its graph, its jobs as a list, and its actions. */
import { Type } from 'typebox'
import { pipelineAddress, pipelinesAddress } from '../../../addresses/ci.ts'
import { jobReaders } from '../../../features/ci/overviews/overviews.ts'
import {
  cancelPipeline,
  pipelineChanged,
  pipelineDeleted,
  removePipeline,
  retryPipeline,
} from '../../../features/ci/pipelines/pipelines.ts'
import { within } from '../../../http/declare/within.ts'
import { action, page } from '../../frame/declaration.ts'
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
      const changed = await retryPipeline(app, pipeline, user)
      return { redirect: pipelineAddress(project, pipeline.id), notice: changed ? sentences.retried : sentences.notNow }
    },
  }),
  action('POST /:project/pipelines/:pipeline_id/cancel', {
    access: pipelineChanged,
    async act({ app, project, pipeline }) {
      const changed = await cancelPipeline(app, pipeline)
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
