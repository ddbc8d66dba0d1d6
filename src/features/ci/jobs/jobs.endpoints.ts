/** Jobs and bridges (spec 4.11). */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { assertKeys, jobsSeen, pipelineInPath } from '../pipelines/pipelines.ts'
import { jobChanged, jobErased, jobOfToken, jobSeen } from './jobs.access.ts'
import { presentBridges, presentJobs } from './jobs.present.ts'
import { listJobs, type ShownJob } from './jobs.queries.ts'
import { Bridge, Job } from './jobs.schema.ts'
import { cancel, erase, play, retry, statusesIn } from './jobs.service.ts'
import { jobStatuses } from './statuses.ts'

const scope = Type.Optional(Type.Array(Type.String(), { description: `One or more of ${jobStatuses.join(', ')}; all by default` }))

export const jobs = [
  endpoint('GET /job', {
    summary: 'Get the job whose token you send',
    access: jobOfToken,
    query: { job_token: Type.Optional(Type.String({ description: 'Its token; or as the header `Job-Token`' })) },
    reply: Job,
    handle: ({ app, user, project, repo, job }) => presentOne(app, { user, project, repo }, job),
  }),
  listEndpoint('GET /projects/:id/jobs', {
    summary: 'List the jobs of a project, newest first',
    access: jobsSeen,
    query: { scope },
    item: Job,
    async handle({ app, user, project, repo, query, page }) {
      const filter = { kind: 'job', statuses: statusesIn(query.scope ?? []), include_retried: true, sort: 'desc' } as const
      const { rows, total } = await listJobs(app.db, project.id, filter, page)
      return { rows: await presentJobs(app, { user, project, repo }, rows), total }
    },
  }),
  listEndpoint('GET /projects/:id/pipelines/:pipeline_id/jobs', {
    summary: 'List the jobs of a pipeline',
    access: within(jobsSeen, pipelineInPath),
    jobTokens: true,
    query: { scope, include_retried: Type.Boolean({ default: true, description: 'Whether jobs that were retried are among them' }) },
    item: Job,
    async handle({ app, user, project, repo, pipeline, query: { scope = [], include_retried }, page }) {
      const filter = { kind: 'job', statuses: statusesIn(scope), include_retried, pipeline_id: pipeline.id, sort: 'asc' } as const
      const { rows, total } = await listJobs(app.db, project.id, filter, page)
      return { rows: await presentJobs(app, { user, project, repo }, rows), total }
    },
  }),
  listEndpoint('GET /projects/:id/pipelines/:pipeline_id/bridges', {
    summary: 'List the jobs of a pipeline that start other pipelines',
    access: within(jobsSeen, pipelineInPath),
    query: { scope },
    item: Bridge,
    async handle({ app, user, project, repo, pipeline, query, page }) {
      const statuses = statusesIn(query.scope ?? [])
      const filter = { kind: 'bridge', statuses, include_retried: true, pipeline_id: pipeline.id, sort: 'asc' } as const
      const { rows, total } = await listJobs(app.db, project.id, filter, page)
      return { rows: await presentBridges(app, { user, project, repo }, rows), total }
    },
  }),
  endpoint('GET /projects/:id/jobs/:job_id', {
    summary: 'Get a job',
    access: jobSeen,
    reply: Job,
    handle: ({ app, user, project, repo, job }) => presentOne(app, { user, project, repo }, job),
  }),
  endpoint('POST /projects/:id/jobs/:job_id/cancel', {
    summary: 'Cancel a job',
    access: jobChanged,
    body: { force: Type.Boolean({ default: false, description: 'At once, without `after_script`' }) },
    reply: Job,
    handle: async ({ app, user, project, repo, job, body: { force } }) =>
      presentOne(app, { user, project, repo }, await cancel(app, job, force)),
  }),
  endpoint('POST /projects/:id/jobs/:job_id/retry', {
    summary: 'Retry a job',
    access: jobChanged,
    reply: Job,
    handle: async ({ app, user, project, repo, job }) => presentOne(app, { user, project, repo }, await retry(app, job, user)),
  }),
  endpoint('POST /projects/:id/jobs/:job_id/play', {
    summary: 'Start a manual job, or a delayed one before its time',
    access: jobChanged,
    body: {
      job_variables_attributes: Type.Optional(
        Type.Array(Type.Object({ key: Type.String(), value: Type.String(), variable_type: Type.Optional(oneOf('env_var', 'file')) }), {
          description: 'Variables for this job',
        }),
      ),
    },
    status: 200,
    reply: Job,
    async handle({ app, user, project, repo, job, body: { job_variables_attributes: variables = [] } }) {
      assertKeys(variables)
      const given = variables.map(({ key, value, variable_type = 'env_var' }) => ({ key, value, kind: variable_type, raw: false }))
      return presentOne(app, { user, project, repo }, await play(app, job, user, given))
    },
  }),
  endpoint('POST /projects/:id/jobs/:job_id/erase', {
    summary: 'Erase the trace and the artifacts of a job',
    access: jobErased,
    reply: Job,
    handle: async ({ app, user, project, repo, job }) => presentOne(app, { user, project, repo }, await erase(app, job, user)),
  }),
]

async function presentOne(...[app, reader, job]: [Parameters<typeof presentJobs>[0], Parameters<typeof presentJobs>[1], ShownJob]) {
  const [presented] = await presentJobs(app, reader, [job])
  if (!presented) throw notFound()
  return presented
}
