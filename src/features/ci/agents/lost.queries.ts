/** SQL for jobs that nobody else will end. */
import type { Db } from '../../../db/database.ts'

export interface Limits {
  silent_ms: number
  grace_ms: number
  pending_ms: number
}

export interface LostJob {
  id: number
  reason: 'stuck_or_timeout_failure' | 'job_execution_timeout'
}

/** In ascending order of their ids, after the given one. */
export async function lostJobs(
  db: Db,
  now: number,
  { silent_ms, grace_ms, pending_ms }: Limits,
  { after, limit }: { after: number; limit: number },
): Promise<LostJob[]> {
  const before = (ms: number) => new Date(now - ms).toISOString()
  const rows = await db
    .selectFrom('commit_statuses')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .select(['commit_statuses.id', 'status', 'started_at', 'updated_at', 'ci_jobs.timeout_s', 'ci_jobs.canceling_at'])
    .where('commit_statuses.kind', '=', 'job')
    .where('commit_statuses.id', '>', after)
    .where((eb) =>
      eb.or([
        eb.and([eb('status', '=', 'pending'), eb('updated_at', '<', before(pending_ms))]),
        // No job has a shorter timeout.
        eb.and([eb('status', '=', 'running'), eb('started_at', '<', before(grace_ms))]),
      ]),
    )
    .orderBy('commit_statuses.id')
    .execute()
  const lost = rows.flatMap(({ id, status, started_at, updated_at, timeout_s, canceling_at }): LostJob[] => {
    const isStopping = canceling_at !== null && canceling_at < before(grace_ms)
    const isSilent = isStopping || status === 'pending' || Date.parse(updated_at ?? '') < now - silent_ms
    if (isSilent) return [{ id, reason: 'stuck_or_timeout_failure' }]
    const end = Date.parse(started_at ?? '') + (timeout_s ?? 0) * 1000 + grace_ms
    return timeout_s !== null && end < now ? [{ id, reason: 'job_execution_timeout' }] : []
  })
  return lost.slice(0, limit)
}
