/** Pipeline schedules as JSON. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { CiSchedule, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { presentPipelineBasic } from '../pipelines/pipelines.ts'
import { openInputs } from './inputs.ts'
import { lastPipelinesOf, type ScheduleVariable as VariableRow, variablesOf } from './schedules.queries.ts'
import type { Schedule, ScheduleDetails, ScheduleVariable } from './schedules.schema.ts'
import { mayChange, openVariable } from './schedules.service.ts'

export async function presentSchedules(app: App, rows: CiSchedule[]): Promise<Array<Static<typeof Schedule>>> {
  const ids = rows.flatMap(({ owner_id }) => owner_id ?? [])
  const owners = await usersInBrief(app.db, ids)
  return rows.map((row) => present(app, row, owners.get(row.owner_id ?? 0)))
}

function present(app: App, row: CiSchedule, owner: UserInBrief | undefined): Static<typeof Schedule> {
  const { id, description, ref, cron, cron_timezone, next_run_at, active, created_at, updated_at } = row
  const shown = owner ? presentUserBrief(app.config, owner) : null
  return { id, description, ref, cron, cron_timezone, next_run_at, active, created_at, updated_at, owner: shown }
}

export interface ScheduleSeen {
  project: LocatedProject
  schedule: CiSchedule
  user: User
  level: number
}

export async function presentDetails(
  app: App,
  { project, schedule, user, level }: ScheduleSeen,
): Promise<Presented<typeof ScheduleDetails>> {
  const owners = await usersInBrief(app.db, schedule.owner_id === null ? [] : [schedule.owner_id])
  const last = (await lastPipelinesOf(app.db, [schedule.id])).get(schedule.id)
  const seesAll = mayChange(schedule, { user, level })
  const variables = seesAll ? await variablesOf(app.db, schedule.id) : undefined
  const inputs = seesAll ? Object.entries(openInputs(app, schedule)) : undefined
  const { id, description, ref, cron, cron_timezone, next_run_at, active, created_at, updated_at, owner } = present(
    app,
    schedule,
    owners.get(schedule.owner_id ?? 0),
  )
  return {
    id,
    description,
    ref,
    cron,
    cron_timezone,
    next_run_at,
    active,
    created_at,
    updated_at,
    owner,
    last_pipeline: last ? presentPipelineBasic(app.config, project, last) : null,
    variables: variables?.map((variable) => presentVariable(app, variable)),
    inputs: inputs?.map(([name, value]) => ({ name, value })),
  }
}

export function presentVariable(app: App, row: VariableRow): Static<typeof ScheduleVariable> {
  const { key, value, kind, raw } = openVariable(app, row)
  return { variable_type: kind, key, value, raw }
}
