/** Access for the runner of a job. */
import { machines } from '../../../http/declare/machines.ts'
import type { Access, Granted } from '../../../http/declare/rules.ts'
import type { RunningJob } from './job-tokens.queries.ts'
import { requireRunningJob } from './job-tokens.service.ts'

/**
 * Grants the running job in `:id` to whoever sends its token, as `Job-Token`, or as `token` in the query. Decided before the body is read.
 */
export function runningJob(): Access<Granted & { running: RunningJob }> {
  return {
    ...machines('the machine that runs the job, by its token'),
    async grant({ app, params, sent }) {
      const running = await requireRunningJob(app, {
        id: asJobId(params.id),
        token: sentToken(sent?.headers['job-token'], sent?.query.token),
      })
      return { user: null, running }
    },
  }
}

/** No job has the id 0. */
function asJobId(text: string | undefined): number {
  const id = /^\d+$/.test(text ?? '') ? Number(text) : 0
  return Number.isSafeInteger(id) ? id : 0
}

export function sentToken(...sent: unknown[]): string | null {
  return sent.find((value): value is string => typeof value === 'string' && value !== '') ?? null
}
