/** Starts the pipelines of schedules, each run once and by one process. */
import { findProject } from '../../../access/find.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiSchedule, Instant, User } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type AnyJob, enqueue, type Job, job } from '../../../queue/queue.ts'
import { readSettings, termsAccepted } from '../../instance/settings/settings.ts'
import { createPipeline, findRefNamed, pipelinesOf } from '../pipelines/pipelines.ts'
import { openInputs } from './inputs.ts'
import { dueSchedules, hasPipelineSince, scheduleById, updateSchedule } from './schedules.queries.ts'
import { nextRunOf, openVariablesOf } from './schedules.service.ts'

const atOnce = 100

/** Each schedule gets its next time in the transaction that enqueues its pipeline, so no process starts it twice, and no crash loses it. */
export const startDueSchedulesJob = job<object>('schedules.start_due', {
  every_ms: 30_000,
  at_start: true,
  async handle(app) {
    for (;;) {
      const started = await inTransaction(app.db, async (tx) => {
        const due = await dueSchedules(tx, now(), atOnce)
        for (const schedule of due) {
          await updateSchedule(tx, schedule.id, { next_run_at: nextRunOf(schedule) })
          await enqueue(tx, runScheduleJob, runOf(schedule, null), schedule.owner_id === null ? {} : { asked_by: schedule.owner_id })
        }
        return due.length
      })
      if (started < atOnce) return
    }
  },
})

export interface ScheduleRun {
  project_id: number
  schedule_id: number
  /** The user who requested it; null if it was due, and so runs as its owner. */
  user_id: number | null
  since: Instant
}

/** A run that starts now. */
export function runOf({ id, project_id }: CiSchedule, user_id: number | null): ScheduleRun {
  return { project_id, schedule_id: id, user_id, since: now() }
}

/** Creates the pipeline of one run; safe to repeat. A schedule whose owner may no longer run it, or whose ref is gone, is deactivated. */
export const runScheduleJob: Job<ScheduleRun> = job('schedules.run', {
  lane: 'pipelines',
  serial: ({ project_id }) => pipelinesOf(project_id),
  asker: ({ user_id }) => user_id,
  async handle(app, { schedule_id, user_id, since }) {
    const schedule = await scheduleById(app.db, schedule_id)
    if (!schedule || (await hasPipelineSince(app.db, schedule_id, since))) return
    const starter = user_id ?? schedule.owner_id
    const user = starter === null ? null : await userById(app.db, starter)
    // Jobs of a user who hasn't accepted the terms can't read anything. The schedule stays active, for its runs after they accept.
    if (user && !termsAccepted(await readSettings(app.db), user)) return
    const runs = user !== null && (await run(app, schedule, user))
    if (!runs && user_id === null) await updateSchedule(app.db, schedule_id, { active: false, next_run_at: null, updated_at: now() })
  },
})

/** False if the user may not, or there is no such branch or tag. */
async function run(app: App, schedule: CiSchedule, user: User): Promise<boolean> {
  const access = await findProject(app.db, String(schedule.project_id), user).catch(nullIfMissing)
  if (!access) return false
  const located = await findRefNamed(app.git.open(schedule.project_id), schedule.ref)
  if (!located) return false
  const created = await createPipeline(app, {
    project: access.project,
    user,
    ref: located.ref,
    ref_kind: located.ref_kind,
    sha: located.sha,
    source: 'schedule',
    schedule_id: schedule.id,
    variables: await openVariablesOf(app, schedule),
    inputs: openInputs(app, schedule),
    save_on_errors: true,
  })
  return 'pipeline' in created || !created.errors.some((error) => error.startsWith('Insufficient permissions'))
}

export const scheduleJobs: AnyJob[] = [startDueSchedulesJob, runScheduleJob]
