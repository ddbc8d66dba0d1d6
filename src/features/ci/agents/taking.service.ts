/** Gives a runner a job: chosen among all it may take, fair among projects, and given to it alone. */
import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import type { PlannedJob } from '../../../ci/plan.ts'
import { inTransaction } from '../../../db/database.ts'
import type { CiRunner } from '../../../db/tables.ts'
import { endJob, type TakenJob, takeJob } from '../processing/processing.ts'
import { isActive, jobsOfGroup, jobToTake, type PendingGroup, runningOnShared } from './queue.queries.ts'
import { queueOf } from './queue.service.ts'

/** How many jobs of a group are examined, besides those that others are taking. */
const atOnce = 20

/** The machine that uses the token of a runner. */
export interface Machine {
  manager_id: number | null
  cancels_gracefully: boolean
}

/** A job that was assigned to the runner; null if there is none. */
export async function takeFor(app: App, runner: CiRunner, machine: Machine): Promise<TakenJob | null> {
  const queue = queueOf(app)
  for (const group of await inFairOrder(app, runner, await queue.matching(runner))) {
    const ids = await jobsOfGroup(app.db, group, atOnce + queue.taking.size)
    if (ids.length === 0) queue.forget(group)
    for (const id of ids) {
      if (queue.taking.has(id)) continue
      queue.taking.add(id)
      const taken = await take(app, id, runner, machine).finally(() => queue.taking.delete(id))
      if (taken === 'paused') return null
      if (taken) return taken
    }
  }
  return null
}

/** Instance runners first serve the project with the fewest jobs on them; other runners take the oldest job. */
async function inFairOrder({ db }: App, { kind }: CiRunner, groups: PendingGroup[]): Promise<PendingGroup[]> {
  const projects = [...new Set(groups.map(({ project_id }) => project_id))]
  if (kind !== 'instance' || projects.length < 2) return groups
  const running = await runningOnShared(db, projects)
  const of = ({ project_id }: PendingGroup) => running.get(project_id) ?? 0
  return [...groups].sort((one, other) => of(one) - of(other) || one.first_job_id - other.first_job_id)
}

/** Null if another runner was faster, or if the job can't run any more and is ended. */
async function take(app: App, job_id: number, runner: CiRunner, machine: Machine): Promise<TakenJob | 'paused' | null> {
  const found = await jobToTake(app.db, job_id)
  if (!found) return null
  if (!mayAct({ state: found.user_state })) {
    await inTransaction(app.db, (tx) => endJob(tx, job_id, { status: 'failed', failure_reason: 'user_blocked' }))
    return null
  }
  const timeout_s = timeoutOf(found, runner)
  return inTransaction(app.db, async (tx) => {
    const { manager_id: runner_manager_id, cancels_gracefully } = machine
    const taken = await takeJob(tx, { job_id, runner_id: runner.id, runner_manager_id, cancels_gracefully, timeout_s })
    // The runner may have been paused or deleted since it was looked up.
    return taken ?? ((await isActive(tx, runner.id)) ? null : 'paused')
  })
}

/** The timeout of the job or of its project, limited by that of the runner. */
function timeoutOf(job: { plan: string; build_timeout_s: number }, { maximum_timeout_s }: CiRunner): number {
  const wanted = (JSON.parse(job.plan) as Partial<PlannedJob>).timeout_s ?? job.build_timeout_s
  return maximum_timeout_s === null ? wanted : Math.min(wanted, maximum_timeout_s)
}
