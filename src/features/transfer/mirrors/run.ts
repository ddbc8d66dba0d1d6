/** One run of a mirror: exclusive, renewed while it lasts, and ended when the mirror or its project changes. Its outcome is recorded. */
import { randomUUID } from 'node:crypto'
import { type LocatedProject, locatedProjects } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inBackground } from '../../../background.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MirrorStatus } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { concurrencyLimiter, isRefusal } from '../../../limits/concurrency.ts'
import { claimRun, endRun, type MirrorTable, renewRun } from './runs.queries.ts'

const lease_ms = 60_000
const renewal_ms = lease_ms / 6

export interface Run {
  table: MirrorTable
  mirror: { id: number; project_id: number; failures: number }
  /** The host of the remote repository. */
  host: string
  /** Does the work. Returns an error about some refs, as a sentence, or null. Throwing fails the run. */
  work: (project: LocatedProject, signal: AbortSignal) => Promise<string | null>
  /** Enqueues the next attempt of a run that failed. */
  retry: (tx: Db, delay_ms: number) => Promise<void>
}

/** Over a day of retries. */
const maxFailures = 30
const hour_ms = 3_600_000

/** Half a minute, a minute, … up to an hour; null: no further automatic attempt. */
export function retryDelay_ms(failures: number): number | null {
  return failures >= maxFailures ? null : Math.min(15_000 * 2 ** failures, hour_ms)
}

/** Concurrent runs per host: a slow host must not block others. */
const perHost = concurrencyLimiter({ perKey: 2, total: 64 })

/** False if another run is under way, or its host has too many. Does nothing if the project is gone or archived. */
export async function runMirror(app: App, run: Run, stopping?: AbortSignal): Promise<boolean> {
  const { table, mirror, host } = run
  const runner = randomUUID()
  if (!(await claimRun(app.db, table, mirror.id, runner, leaseEnd()))) return false
  const release = await perHost.acquire(host)
  if (isRefusal(release)) {
    await endRun(app.db, table, mirror.id, runner, { update_status: 'scheduled' })
    return false
  }
  try {
    await runClaimed(app, run, runner, stopping)
  } finally {
    release()
  }
  return true
}

const leaseEnd = () => new Date(Date.now() + lease_ms)

async function runClaimed(app: App, { table, mirror, work, retry }: Run, runner: string, stopping?: AbortSignal): Promise<void> {
  const overtaken = new AbortController()
  const renewal = setInterval(() => {
    const renewed = renewRun(app.db, table, mirror.id, runner, leaseEnd()).then((is) => is || overtaken.abort())
    inBackground(app, renewed, 'mirror: could not renew a run')
  }, renewal_ms)
  const end = (change: Parameters<typeof endRun>[4], also?: Parameters<typeof endRun>[5]) =>
    endRun(app.db, table, mirror.id, runner, change, also)
  try {
    const project = await projectOf(app.db, mirror.project_id)
    if (!project || project.archived) {
      await end({ update_status: 'none' })
      return
    }
    const signal = AbortSignal.any([overtaken.signal, ...(stopping ? [stopping] : [])])
    const complaint = await work(project, signal)
    const at = now()
    const state: MirrorStatus = complaint === null ? 'finished' : 'failed'
    const success = complaint === null ? { last_successful_update_at: at } : {}
    await end({ update_status: state, last_error: complaint, last_update_at: at, failures: 0, ...success })
  } catch (error) {
    // The next process runs the job immediately.
    if (stopping?.aborted) {
      await end({ update_status: 'scheduled' })
      throw error
    }
    if (overtaken.signal.aborted) {
      await end({ update_status: 'none' })
      return
    }
    app.log.warn({ err: error instanceof Failure ? (error.cause ?? error) : error, [table]: mirror.id }, 'mirror failed')
    const delay_ms = retryDelay_ms(mirror.failures + 1)
    const state = { last_error: sentenceOf(error), last_update_at: now(), failures: mirror.failures + 1 }
    if (delay_ms === null) await end({ ...state, update_status: 'failed' })
    else await end({ ...state, update_status: 'to_retry' }, (tx) => retry(tx, delay_ms))
  } finally {
    clearInterval(renewal)
  }
}

async function projectOf(db: Db, id: number): Promise<LocatedProject | null> {
  return (await locatedProjects(db).where('projects.id', '=', id).executeTakeFirst()) ?? null
}

/** A message of our own for users. */
export function sentenceOf(error: unknown): string {
  const isPublic = error instanceof Failure && ['invalid', 'not_found', 'too_large', 'ref_denied', 'forbidden'].includes(error.code)
  return isPublic ? error.message.replace(/^\d{3} /, '') : 'The mirror could not be updated'
}

const shownRefs = 10

export interface Complaint {
  diverged: string[]
  rejected: string[]
  /** The server that rejected them. */
  by: string
  /** The number of LFS files that the remote rejected or didn't provide. */
  large_files: number
}

/** Which refs and LFS files were not updated, in one or two sentences; null if all were. */
export function complaintOf({ diverged, rejected, by, large_files }: Complaint): string | null {
  const sentences = [
    ...(diverged.length > 0 ? [`Some refs have diverged and have not been updated: ${namesOf(diverged)}`] : []),
    ...(rejected.length > 0 ? [`${by}: ${namesOf(rejected)}`] : []),
    ...(large_files > 0
      ? [`The remote repository has no place for large files, or not all of them: ${large_files} were not transferred`]
      : []),
  ]
  return sentences.length === 0 ? null : sentences.join('\n')
}

function namesOf(refs: string[]): string {
  const more = refs.length > shownRefs ? ` and ${refs.length - shownRefs} more` : ''
  return `${refs.slice(0, shownRefs).join(', ')}${more}`
}
