/** Traces: sent by the machine that runs the job, read by people. */
import { Type } from 'typebox'
import { Failure, invalid, missing, tooLarge } from '../../../failure.ts'
import { endpoint, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { within } from '../../../http/declare/within.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { jobInProject, jobReaders } from '../job-access/job-access.ts'
import { runningJob, sentToken } from '../job-tokens/job-tokens.ts'
import { appendTrace } from './append.service.ts'
import { openTrace } from './traces.service.ts'

/** Agents send what a job printed since the last time; at the end of a silence of the network, all of it. */
const maxPiece_bytes = 32 * 1024 * 1024

export const traces = [
  endpoint('PATCH /jobs/:id/trace', {
    summary: 'Append to the trace of a running job',
    access: runningJob(),
    query: { token: Type.Optional(Type.String({ description: 'The token of the job, instead of `Job-Token`' })) },
    takesBytes: true,
    fails: ['range_unsatisfiable'],
    reply: Type.String({ description: 'What the trace has: `0-` and its length in bytes' }),
    status: 202,
    headers: (range) => ({ 'job-status': 'running', range }),
    async handle({ app, running, headers, query, content }) {
      const start = startOf(headers['content-range'])
      const bytes = await readPiece(await content(`job:${running.job.id}`))
      const token = sentToken(headers['job-token'], query.token)
      const { length, fits } = await appendTrace(app, running, { start, bytes, token })
      const range = `0-${length}`
      if (!fits) throw new Failure('range_unsatisfiable', '416 Range Not Satisfiable', { headers: { 'job-status': 'running', range } })
      return range
    },
  }),
  streamEndpoint('GET /projects/:id/jobs/:job_id/trace', {
    summary: 'Get the trace of a job',
    access: within(jobReaders(), jobInProject),
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

/** Where a piece begins. What agents send as its end isn't read: old ones count differently. */
function startOf(range: string | undefined): number {
  if (range === undefined) throw invalid('400 Missing header Content-Range')
  const [, start] = /^(\d{1,15})(?:-\d*)?$/.exec(range.trim()) ?? []
  if (start === undefined) throw invalid('400 Malformed header Content-Range')
  return Number(start)
}

async function readPiece(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > maxPiece_bytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}
