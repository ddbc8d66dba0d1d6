/** Changes of runners by users who manage them. */
import { digestOf } from '../../../access/tokens.ts'
import type { App } from '../../../app.ts'
import { inTransaction, oneAtATime } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiRunner, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { forbidden, invalid, missing, notFound } from '../../../failure.ts'
import { type RunnerFields, runnerColumns } from './rules.ts'
import {
  deleteRunner,
  deleteRunnerProject,
  insertRunnerProject,
  isManagedBy,
  projectIdsOf,
  runnerById,
  updateRunner,
} from './runners.queries.ts'
import { asCredential, holderOf, newRunnerToken } from './tokens.service.ts'

export async function changeRunner({ db }: App, runner: CiRunner, fields: RunnerFields): Promise<CiRunner> {
  await updateRunner(db, runner.id, { ...runnerColumns(fields, runner), updated_at: now() })
  return (await runnerById(db, runner.id)) ?? runner
}

/** Throws 403 for a runner of several projects, unless an administrator deletes it: the other projects would lose it. */
export async function removeRunner({ db }: App, runner: CiRunner, user: User): Promise<void> {
  if (!user.admin && (await projectIdsOf(db, runner.id)).length > 1) throw forbidden('Runner associated with more than one project')
  await inTransaction(db, async (tx) => {
    const of = await holderOf(tx, runner)
    await deleteRunner(tx, runner.id)
    await publish(tx, { type: 'credential_revoked', of, credential: asCredential(runner) })
  })
}

/** Replaces the token; the runner must be given the new one. */
export async function resetRunnerToken({ db }: App, runner: CiRunner): Promise<string> {
  const token = newRunnerToken(runner.creator_id === null ? 'registered' : 'created')
  await inTransaction(db, async (tx) => {
    await updateRunner(tx, runner.id, { token_digest: digestOf(token), updated_at: now() })
    await publish(tx, { type: 'credential_created', of: await holderOf(tx, runner), credential: asCredential(runner) })
  })
  return token
}

/**
 * Enables a runner of another project for this one. Throws 403 for group and instance runners, for locked ones, and for those the user
 * doesn't manage; 400 if it is already enabled.
 */
export async function enableRunner({ db }: App, id: number, project: { id: number }, user: User): Promise<CiRunner> {
  const runner = await runnerById(db, id)
  if (!runner) throw missing()
  if (runner.kind === 'group') throw forbidden('Runner is a group runner')
  if (runner.kind === 'instance') throw forbidden('Runner is an instance runner')
  if (!user.admin && runner.locked) throw forbidden('Runner is locked')
  if (!user.admin && !(await isManagedBy(db, user, id))) throw forbidden('No access granted')
  if (!(await insertRunnerProject(db, id, project.id))) throw invalid({ runner: ['has already been taken'] })
  return runner
}

/** Throws 404 if it isn't enabled there, 403 if it would be left without a project. */
export async function disableRunner({ db }: App, id: number, project: { id: number }): Promise<void> {
  await inTransaction(db, async (tx) => {
    await oneAtATime(tx, `projects of runner ${id}`)
    const projects = await projectIdsOf(tx, id)
    if (!projects.includes(project.id)) throw notFound('Runner')
    if (projects.length === 1) throw forbidden('Only one project associated with the runner. Please remove the runner instead')
    await deleteRunnerProject(tx, id, project.id)
  })
}
