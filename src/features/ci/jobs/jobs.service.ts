/** Actions of users on jobs. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { PipelineStatus, User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { removeArtifactsOf } from '../artifacts/artifacts.ts'
import type { GivenVariable } from '../pipelines/pipelines.ts'
import { cancelJob, hasEnded, playJob, retryJob, updateJob } from '../processing/processing.ts'
import { removeTracesOf } from '../traces/traces.ts'
import { findShownJob, type ShownJob } from './jobs.queries.ts'
import { jobStatuses } from './statuses.ts'

/** The statuses of a scope. Throws 400 for unknown scopes. */
export function statusesIn(scope: readonly string[]): PipelineStatus[] {
  const known = scope.flatMap((one) => jobStatuses.find((status) => status === one) ?? [])
  if (known.length !== scope.length) throw invalid('Scope contains invalid value(s)')
  return known
}

/** The current state; the job may have been deleted meanwhile. */
async function fresh(app: App, job: ShownJob, id = job.id): Promise<ShownJob> {
  return (await findShownJob(app.db, job.project_id, id, ['job', 'bridge'])) ?? job
}

/** False if there is nothing to cancel. `force`: doesn't wait for the runner to finish. */
export function cancelIfLive(app: App, job: Pick<ShownJob, 'id'>, force = false): Promise<boolean> {
  return inTransaction(app.db, (tx) => cancelJob(tx, job.id, force))
}

/** A job that has ended is not changed. */
export async function cancel(app: App, job: ShownJob, force: boolean): Promise<ShownJob> {
  await cancelIfLive(app, job, force)
  return fresh(app, job)
}

/** @returns the id of the retry; null if the job hasn't ended, or was already retried */
export function retryIfEnded(app: App, job: ShownJob, user: User): Promise<number | null> {
  return inTransaction(app.db, (tx) => retryJob(tx, job.id, user.id))
}

/** The retry. Throws 403 if the job hasn't ended, or was already retried. */
export async function retry(app: App, job: ShownJob, user: User): Promise<ShownJob> {
  const next = await retryIfEnded(app, job, user)
  if (next === null) throw new Failure('forbidden', '403 Forbidden - Job is not retryable')
  return fresh(app, job, next)
}

/** Throws 400 if it isn't waiting to be started. */
export async function play(app: App, job: ShownJob, user: User, variables: readonly GivenVariable[]): Promise<ShownJob> {
  const sealed = variables.length === 0 ? null : app.secrets.seal(JSON.stringify(variables), 'ci_jobs.played_variables')
  const isPlayed = await inTransaction(app.db, (tx) => playJob(tx, job.id, { user_id: user.id, variables: sealed }))
  if (!isPlayed) throw invalid('400 Bad request - Unplayable Job')
  return fresh(app, job)
}

/** Removes its trace and artifacts. Throws 403 for a job that hasn't ended or was already erased. */
export async function erase(app: App, job: ShownJob, user: User): Promise<ShownJob> {
  if (!hasEnded(job.status) || job.erased_at !== null) throw new Failure('forbidden', '403 Forbidden - Job is not erasable!')
  await inTransaction(app.db, async (tx) => {
    await removeArtifactsOf(tx, [job.id])
    await removeTracesOf(tx, [job.id])
    const erased = { erased_at: now(), erased_by_id: user.id, artifacts_expire_at: null }
    await updateJob(tx, job.id, erased)
  })
  return fresh(app, job)
}
