/** Traces: sent by the runner of the job, read by users. */
import { Type } from 'typebox'
import { Failure, missing } from '../../../failure.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { outcome } from '../../../http/declare/outcome.ts'
import { within } from '../../../http/declare/within.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { jobReaders, traceInProject } from '../job-access/job-access.ts'
import { runningJob, sentToken } from '../job-tokens/job-tokens.ts'
import { appendTrace } from './append.service.ts'
import { traceInterval } from './interval.ts'
import { noteThatPrintsVariables } from './traces.queries.ts'
import { openTrace } from './traces.service.ts'

/** Agents send what a job printed since the last time; after a network outage, all of it. */
const maxPiece_bytes = 32 * 1024 * 1024

const rangeOfTrace = 'What the trace has: `0-` and its length in bytes'

export const traces = [
  endpoint('PATCH /jobs/:id/trace', {
    summary: 'Append to the trace of a running job',
    access: runningJob(),
    query: {
      token: Type.Optional(Type.String({ description: 'The token of the job, instead of `Job-Token`' })),
      debug_trace: Type.Optional(Type.Boolean({ description: 'Whether the trace has all variables in it: developers alone read it then' })),
    },
    bytes: { description: 'What the job has printed since', type: 'text/plain', maxPiece_bytes },
    reply: Type.String({ description: rangeOfTrace }),
    status: 202,
    replyHeaders: { 'Job-Status': '`running`, or `canceling` when the job has to stop', Range: rangeOfTrace, ...traceInterval.described },
    async handle({ app, running, headers, query, piece }) {
      if (query.debug_trace && !running.job.prints_variables) await noteThatPrintsVariables(app.db, running.job.id)
      const { start, bytes } = await piece(`job:${running.job.id}`)
      const token = sentToken(headers['job-token'], query.token)
      const { length, fits } = await appendTrace(app, running, { start, bytes, token })
      const range = `0-${length}`
      const status = running.job.canceling_at === null ? 'running' : 'canceling'
      const told = { 'job-status': status, range, ...traceInterval.headers }
      if (!fits) throw new Failure('range_unsatisfiable', '416 Range Not Satisfiable', { headers: told })
      return outcome(null, range, told)
    },
  }),
  streamEndpoint('GET /projects/:id/jobs/:job_id/trace', {
    summary: 'Get the trace of a job',
    access: within(jobReaders(), traceInProject),
    jobTokens: true,
    async handle({ app, job }) {
      if (job.row.erased_at !== null) throw missing()
      const trace = await openTrace(app, job.status.id)
      const size = trace?.size ?? 0
      return {
        etag: `"${job.status.id}-${trace?.is_closed ? 'whole' : 'growing'}-${size}"`,
        size,
        describe: () => ({ type: 'text/plain; charset=utf-8', 'content-disposition': disposition('inline', `${job.status.id}.log`) }),
        open: (part) => trace?.read(part?.start, part && part.end + 1) ?? Buffer.alloc(0),
      }
    },
  }),
]
