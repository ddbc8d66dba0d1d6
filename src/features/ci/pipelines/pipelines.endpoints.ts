/** Pipelines (spec 4.10). */
import { Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { none, nullable } from '../../../http/parameters/schema.ts'
import { listPipelines } from './lists.queries.ts'
import { jobsRun, jobsSeen, pipelineChanged, pipelineDeleted, pipelineInPath } from './pipelines.access.ts'
import { presentPipeline, presentPipelineBasic } from './pipelines.present.ts'
import { renamePipeline, starterOf, variablesOf } from './pipelines.queries.ts'
import { givenInputs, givenVariables, Pipeline, PipelineBasic, PipelineVariable, pipelineFilters } from './pipelines.schema.ts'
import { assertKeys, cancel, latestPipeline, readInputs, refsOfScope, removePipeline, retry, runPipeline } from './pipelines.service.ts'

const seen = within(jobsSeen, pipelineInPath)

export const pipelines = [
  listEndpoint('GET /projects/:id/pipelines', {
    summary: 'List the pipelines of a project, newest first',
    access: jobsSeen,
    jobTokens: true,
    query: pipelineFilters,
    item: PipelineBasic,
    async handle({ app, project, repo, query, page }) {
      const names = await refsOfScope(repo, query.scope)
      const { rows, total } = await listPipelines(app.db, project.id, query, names, page)
      return { rows: rows.map((row) => presentPipelineBasic(app.config, project, row)), total }
    },
  }),
  endpoint('GET /projects/:id/pipelines/latest', {
    summary: 'Get the newest pipeline of the newest commit of a branch or tag',
    access: jobsSeen,
    jobTokens: true,
    query: { ref: Type.Optional(Type.String({ description: 'Branch or tag; the default branch by default' })) },
    reply: Pipeline,
    async handle({ app, project, repo, query }) {
      const pipeline = await latestPipeline(app, repo, project, query.ref)
      return presentPipeline(app.config, project, { ...pipeline, user: await starterOf(app.db, pipeline) })
    },
  }),
  endpoint('GET /projects/:id/pipelines/:pipeline_id', {
    summary: 'Get a pipeline',
    access: seen,
    jobTokens: true,
    reply: Pipeline,
    handle: async ({ app, project, pipeline }) =>
      presentPipeline(app.config, project, { ...pipeline, user: await starterOf(app.db, pipeline) }),
  }),
  endpoint('GET /projects/:id/pipelines/:pipeline_id/variables', {
    summary: 'List the variables that a pipeline was started with',
    access: within(jobsRun, pipelineInPath),
    reply: Type.Array(PipelineVariable),
    async handle({ app, pipeline }) {
      const rows = await variablesOf(app.db, pipeline.id)
      return rows.map(({ key, value, kind, raw }) => {
        return { key, value: app.secrets.unseal(value, 'ci_pipeline_variables.value'), variable_type: kind, raw }
      })
    },
  }),
  endpoint('POST /projects/:id/pipeline', {
    summary: 'Create a pipeline',
    access: jobsRun,
    body: { ref: Type.String({ description: 'Branch or tag' }), variables: givenVariables, inputs: givenInputs },
    reply: Pipeline,
    async handle({ app, user, project, body: { ref, variables = [], inputs } }) {
      assertKeys(variables)
      const given = variables.map(({ key, value, variable_type = 'env_var' }) => ({ key, value, kind: variable_type, raw: false }))
      const asked = { project, user, ref, variables: given, inputs: readInputs(inputs) }
      const pipeline = await runPipeline(app, { ...asked, source: 'api' })
      return presentPipeline(app.config, project, { ...pipeline, user })
    },
  }),
  endpoint('POST /projects/:id/pipelines/:pipeline_id/retry', {
    summary: 'Retry the failed and canceled jobs of a pipeline',
    access: pipelineChanged,
    reply: Pipeline,
    async handle({ app, user, project, pipeline }) {
      const retried = (await retry(app, pipeline, user)) ?? pipeline
      return presentPipeline(app.config, project, { ...retried, user: await starterOf(app.db, retried) })
    },
  }),
  endpoint('POST /projects/:id/pipelines/:pipeline_id/cancel', {
    summary: 'Cancel the jobs of a pipeline',
    access: pipelineChanged,
    status: 200,
    reply: Pipeline,
    async handle({ app, project, pipeline }) {
      const canceled = (await cancel(app, pipeline)) ?? pipeline
      return presentPipeline(app.config, project, { ...canceled, user: await starterOf(app.db, canceled) })
    },
  }),
  endpoint('PUT /projects/:id/pipelines/:pipeline_id/metadata', {
    summary: 'Rename a pipeline',
    access: pipelineChanged,
    jobTokens: true,
    body: { name: nullable(Type.String({ maxLength: 255 })) },
    reply: Pipeline,
    async handle({ app, project, pipeline, body }) {
      const renamed = (await renamePipeline(app.db, pipeline.id, body.name?.trim() || null)) ?? pipeline
      return presentPipeline(app.config, project, { ...renamed, user: await starterOf(app.db, renamed) })
    },
  }),
  endpoint('DELETE /projects/:id/pipelines/:pipeline_id', {
    summary: 'Delete a pipeline, with its jobs and what they left',
    access: pipelineDeleted,
    reply: none,
    lastChanged: ({ pipeline }) => pipeline.updated_at,
    async handle({ app, pipeline }) {
      await removePipeline(app, pipeline)
      return null
    },
  }),
]
