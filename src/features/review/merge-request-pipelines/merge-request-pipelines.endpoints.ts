/** Pipelines of merge requests. */
import { mayReadJobs } from '../../../access/jobs.ts'
import { Failure } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { only, type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { Pipeline, PipelineBasic } from '../../ci/pipelines/pipelines.schema.ts'
import { createPipeline, jobsRun, presentPipeline, presentPipelineBasic, refusal } from '../../ci/pipelines/pipelines.ts'
import { mergeRequestInPath } from '../merge-requests/merge-requests.ts'
import { pipelineRequestOf } from './building.service.ts'
import { pipelinesOf } from './merge-request-pipelines.queries.ts'

const readers = {
  description: 'those who can see the jobs of the project',
  holds: ({ project, level }: ProjectGranted) => mayReadJobs({ project, level }),
}

export const mergeRequestPipelines = [
  listEndpoint('GET /projects/:id/merge_requests/:merge_request_iid/pipelines', {
    summary: 'List the pipelines of a merge request, newest first',
    access: only(within(project('signed-in'), mergeRequestInPath), readers),
    item: PipelineBasic,
    async handle({ app, merge_request, page }) {
      const { rows, total } = await pipelinesOf(app.db, merge_request, page)
      return { rows: rows.map((row) => presentPipelineBasic(app.config, row, row)), total }
    },
  }),
  endpoint('POST /projects/:id/merge_requests/:merge_request_iid/pipelines', {
    summary: 'Create a pipeline of a merge request',
    access: within(jobsRun, mergeRequestInPath),
    reply: Pipeline,
    fails: ['method_not_allowed'],
    async handle({ app, user, project, merge_request }) {
      const asked = await pipelineRequestOf(app, project, merge_request, user)
      if (!asked) throw new Failure('method_not_allowed', 'The merge request has no commits')
      const created = await createPipeline(app, asked)
      if ('errors' in created) throw refusal(created.errors)
      return presentPipeline(app.config, project, { ...created.pipeline, user })
    },
  }),
]
