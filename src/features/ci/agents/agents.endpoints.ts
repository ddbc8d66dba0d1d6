/** What runners ask for: jobs; and what they tell of them. */
import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { machines, runnerByToken } from '../../../http/declare/machines.ts'
import { Id, oneOf, text } from '../../../http/parameters/schema.ts'
import { noteContact, RunnerInfo, systemId } from '../runners/runners.ts'
import { JobPayload } from './payload.schema.ts'
import { reportJob } from './reports.service.ts'
import { requestJob } from './requests.service.ts'

/** A job, or until when nothing is new. */
type Requested = Static<typeof JobPayload> | { last_update: string }

/** `isPending`: accepted, and the runner shall ask again. */
interface Reported {
  status: string
  isPending: boolean
}

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
    reply: Type.Unsafe<Requested>(JobPayload),
    isEmpty: (reply) => 'last_update' in reply,
    headers: (reply): Record<string, string> => ('last_update' in reply ? { 'x-gitlab-last-update': reply.last_update } : {}),
    async handle({ app, ip, signal, runner, body }) {
      const manager_id = await noteContact(app.db, runner, { info: body.info, ip, system_id: body.system_id })
      return requestJob(app, runner, { manager_id, last_update: body.last_update, signal: signal() })
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
    reply: Type.Unsafe<Reported>(Type.Null()),
    createsNothing: (reply) => reply.isPending,
    // Agents take `failed` for a job that was ended for them, and say so in their logs.
    headers: ({ status }) => (status === 'running' ? { 'job-status': status } : {}),
    async handle({ app, params, headers, body }) {
      const token = body.token ?? headers['job-token']
      return reportJob(app, { id: params.id, token: typeof token === 'string' ? token : null }, body)
    },
  }),
]
