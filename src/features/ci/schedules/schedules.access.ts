/** Access to pipeline schedules: seeing, changing and running them, for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { type Access, only, type ProjectGranted, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import { jobsRun, jobsSeen } from '../pipelines/pipelines.ts'
import { scheduleAt, variableAt } from './schedules.queries.ts'
import { mayChange } from './schedules.service.ts'

const scheduleInPath = nested({ pipeline_schedule_id: Id }, async ({ project }: ProjectGranted, { pipeline_schedule_id }, app) => {
  const schedule = await scheduleAt(app.db, project.id, pipeline_schedule_id)
  if (!schedule) throw notFound('Pipeline Schedule')
  return { schedule }
})
type ScheduleGranted = ProjectGranted & SignedIn & Awaited<ReturnType<typeof scheduleInPath.load>>

export const scheduleSeen = within(jobsSeen, scheduleInPath)
export const scheduleRun = within(jobsRun, scheduleInPath)
export const scheduleChanged: Access<ScheduleGranted> = only(within(unarchived(jobsSeen), scheduleInPath), {
  description: 'maintainers, and developers for schedules of their own',
  holds: ({ schedule, user, level }) => mayChange(schedule, { user, level }),
})

export const scheduleVariableChanged = within(
  scheduleChanged,
  nested({ key: nameInPath('Key of the variable') }, async ({ schedule }: ScheduleGranted, { key }, app) => {
    const variable = key.includes('\0') ? null : await variableAt(app.db, schedule.id, key)
    if (!variable) throw notFound('Pipeline Schedule Variable')
    return { variable }
  }),
)
