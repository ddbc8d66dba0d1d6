/** Rules of environments: their names, and how they are stopped. */
import type { ProjectAccess } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiEnvironment, CommitStatus } from '../../../db/tables.ts'
import { invalid, missing } from '../../../failure.ts'
import { assertValid, lengthError } from '../../../validation.ts'
import { isRetryable, playJob, retryJob } from '../processing/processing.ts'
import { lastDeploymentsOf } from './deployments.queries.ts'
import { nameError, slugOf, tierOf, urlError } from './environment-names.ts'
import { environmentsNamed, insertEnvironment, lockEnvironment, updateEnvironment } from './environments.queries.ts'
import { jobBeside, manualJobsBeside } from './job-environments.queries.ts'

export interface EnvironmentInput {
  name: string
  external_url?: string | null | undefined
  description?: string | null | undefined
  tier?: CiEnvironment['tier'] | undefined
}

/** Throws 400 for an invalid or taken name, and an invalid URL. */
export async function createEnvironment(
  app: App,
  project_id: number,
  { name, external_url, description, tier }: EnvironmentInput,
): Promise<CiEnvironment> {
  const url = external_url || null
  check({ name, url, description: description ?? null })
  const at = now()
  return naming(() =>
    insertEnvironment(app.db, {
      project_id,
      name,
      slug: slugOf(name),
      external_url: url,
      description: description ?? null,
      tier: tier ?? tierOf(name),
      auto_stop_at: null,
      created_at: at,
      updated_at: at,
    }),
  )
}

/**
 * Fields that aren't sent are kept, and the slug never changes. Throws 400 as `createEnvironment` does; 404 if it was deleted meanwhile.
 */
export async function changeEnvironment(app: App, environment: CiEnvironment, changes: Partial<EnvironmentInput>): Promise<CiEnvironment> {
  const { name = environment.name, tier = environment.tier } = changes
  const url = changes.external_url === undefined ? environment.external_url : changes.external_url || null
  const description = changes.description === undefined ? environment.description : changes.description
  check({ name, url, description })
  const changed = await naming(() =>
    updateEnvironment(app.db, environment.id, { name, tier, external_url: url, description, updated_at: now() }),
  )
  if (!changed) throw missing()
  return changed
}

function check({ name, url, description }: { name: string; url: string | null; description: string | null }): void {
  assertValid({ name: nameError(name), external_url: urlError(url), description: lengthError(description ?? undefined, 10_000) })
}

async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid({ name: ['has already been taken'] }, error)
    throw error
  }
}

/** The job that stops the last deployment; null if there is none, or nothing is deployed. */
export async function stopActionOf(app: App, environment: CiEnvironment): Promise<CommitStatus | null> {
  const last = (await lastDeploymentsOf(app.db, [environment.id])).get(environment.id)
  return last?.on_stop && last.job_id !== null ? jobBeside(app.db, last.job_id, last.on_stop) : null
}

/** Developers if a job stops it, since they may run the job; otherwise maintainers. */
export function mayStop({ level }: Pick<ProjectAccess, 'level'>, stopAction: CommitStatus | null): boolean {
  return may(stopAction ? 'deploy' : 'manage_deployments', level)
}

/** Stops an available environment: by its job, whose success marks it as stopped; otherwise at once. */
export async function stopEnvironment(app: App, environment: CiEnvironment, user_id: number): Promise<CiEnvironment> {
  const action = await stopActionOf(app, environment)
  return inTransaction(app.db, async (tx) => {
    // The job's pipeline is locked before the environment, in the same order as when jobs end.
    const starts = action !== null && (await startActionIn(tx, action, user_id)) !== null
    const locked = await lockEnvironment(tx, environment.id)
    if (!locked) throw missing()
    if (locked.state !== 'available') return locked
    const state = starts ? 'stopping' : 'stopped'
    return (await updateEnvironment(tx, environment.id, { state, auto_stop_at: null, updated_at: now() })) ?? locked
  })
}

/**
 * The manual job that deploys to one environment what is deployed in the other: in the pipeline of the last deployment there. Null if there
 * is none.
 */
export async function deploymentActionOf(db: Db, project_id: number, from: string, to: string): Promise<CommitStatus | null> {
  const named = await environmentsNamed(db, project_id, [from, to])
  const [source, target] = [from, to].map((name) => named.find((one) => one.name === name))
  const last = source && (await lastDeploymentsOf(db, [source.id])).get(source.id)
  if (!target || !last || last.job_id === null) return null
  const actions = await manualJobsBeside(db, last.job_id, target.id)
  return (actions.length > 1 ? actions.find(({ name }) => name === to) : actions[0]) ?? null
}

/** @returns the job that runs: this one, or its retry if it has ended. Null if it can't be started */
export function startAction(db: Db, action: CommitStatus, user_id: number): Promise<number | null> {
  return inTransaction(db, (tx) => startActionIn(tx, action, user_id))
}

async function startActionIn(tx: Tx, action: CommitStatus, user_id: number): Promise<number | null> {
  if (isRetryable(action)) return retryJob(tx, action.id, user_id)
  return (await playJob(tx, action.id, { user_id })) ? action.id : null
}
