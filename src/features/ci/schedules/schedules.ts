/** Pipeline schedules: what other features may use. */

import type { App } from '../../../app.ts'
import type { CiSchedule } from '../../../db/tables.ts'
import { enqueue } from '../../../queue/queue.ts'
import { runOf, runScheduleJob } from './schedules.jobs.ts'

export { openInputs as openScheduleInputs } from './inputs.ts'
export { scheduleChanged, scheduleRun, scheduleVariableChanged } from './schedules.access.ts'
export {
  deleteSchedule,
  deleteVariable as deleteScheduleVariable,
  lastPipelinesOf as lastPipelinesOfSchedules,
  listSchedules,
} from './schedules.queries.ts'
export {
  addVariable as addScheduleVariable,
  changeSchedule,
  changeVariable as changeScheduleVariable,
  createSchedule,
  mayChange as mayChangeSchedule,
  openVariablesOf as scheduleVariables,
} from './schedules.service.ts'

/** Soon starts its pipeline as this user. */
export async function playSchedule(app: App, schedule: CiSchedule, user_id: number): Promise<void> {
  await enqueue(app.db, runScheduleJob, runOf(schedule, user_id))
}
