/** Endpoints for runners: request jobs, and report on them. */
import { Type } from 'typebox'
import { findRunner } from '../../../access/runners/runners.ts'
import { Failure, forbidden } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines, runnerByToken } from '../../../http/declare/machines.ts'
import { outcome } from '../../../http/declare/outcome.ts'
import { Id, none, oneOf, text } from '../../../http/parameters/schema.ts'
import { sentToken } from '../job-tokens/job-tokens.ts'
import { noteContact, RunnerInfo, systemId } from '../runners/runners.ts'
import { traceInterval } from '../traces/traces.ts'
import { JobPayload } from './payload.schema.ts'
import { reportJob } from './reports.service.ts'
import { requestJob } from './requests.service.ts'

/** How long a runner that knows the state of the queue waits for a change: less than the timeouts of proxies. */
const longestWait_ms = 50_000

const info = Type.Optional(RunnerInfo)

export const agents = [
  endpoint('POST /jobs/request', {
    summary: 'Request a job for a runner',
    operationId: 'requestJob',
    access: runnerByToken(),
    body: {
      token: Type.String({ description: 'The token of the runner' }),
      system_id: systemId,
      last_update: Type.Optional(
        Type.String({ description: 'The `X-GitLab-Last-Update` of the last reply: where nothing is new, the reply waits for a job' }),
      ),
      info,
      session: Type.Optional(Type.Object({}, { description: 'Accepted, and not used' })),
    },
    longestWait_ms,
    reply: JobPayload,
    outcomes: { 204: 'No job' },
    replyHeaders: { 'X-GitLab-Last-Update': 'Without a job: the state of the queue, to be sent with the next request' },
    async handle({ app, ip, patience, runner, body }) {
      const manager_id = await noteContact(app.db, runner, { info: body.info, ip, system_id: body.system_id })
      const cancels_gracefully = body.info?.features?.cancel_gracefully ?? false
      const asked = { machine: { manager_id, cancels_gracefully }, last_update: body.last_update, patience: patience() }
      const found = await requestJob(app, runner, asked)
      return 'last_update' in found ? outcome(204, null, { 'x-gitlab-last-update': found.last_update }) : found
    },
  }),
  endpoint('PUT /jobs/:id', {
    summary: 'Report the state of a job',
    operationId: 'reportJob',
    access: machines('the runner of a job, by the token of the job'),
    params: { id: Id },
    body: {
      token: Type.Optional(Type.String({ description: 'The token of the job; or as the header `Job-Token`' })),
      state: Type.Optional(oneOf('running', 'success', 'failed', 'pending', 'canceled')),
      failure_reason: Type.Optional(text(255)),
      exit_code: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
      trace: Type.Optional(Type.String({ description: 'The whole trace, in place of what has arrived' })),
      checksum: Type.Optional(text(255)),
      output: Type.Optional(
        Type.Object(
          { checksum: Type.Optional(text(255)), bytesize: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) },
          { description: 'Of the whole trace: what has arrived must be as long' },
        ),
      ),
      info,
    },
    maxBody_bytes: 64 * 1024 * 1024,
    status: 200,
    reply: none,
    outcomes: { 202: 'Parts of the trace have not arrived: send them, and report again' },
    replyHeaders: { 'Job-Status': 'While the job runs: `running`, or `canceling` when it has to stop', ...traceInterval.described },
    async handle({ app, params, headers, body }) {
      const token = body.token ?? headers['job-token']
      const { status, isPending } = await reportJob(app, { id: params.id, token: typeof token === 'string' ? token : null }, body)
      // Agents treat `failed` as a job that was ended by the server, and log that.
      const runs = status === 'running' || status === 'canceling'
      return outcome(isPending ? 202 : null, null, runs ? { 'job-status': status, ...traceInterval.headers } : {})
    },
  }),
  endpoint('GET /runners/router/discovery', {
    summary: 'Find the router of jobs, for agents that know one',
    operationId: 'discoverJobRouter',
    access: machines('a runner, by its token in `Runner-Token`'),
    reply: none,
    fails: ['not_implemented'],
    async handle({ app, headers }) {
      if (!(await findRunner(app.db, sentToken(headers['runner-token']) ?? ''))) throw forbidden()
      // Agents then poll for jobs themselves. They would log any other refusal as an error.
      throw new Failure('not_implemented', '501 Not Implemented')
    },
  }),
]
