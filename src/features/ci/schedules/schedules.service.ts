/** Rules of pipeline schedules, and how they start pipelines. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiSchedule, User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { cronError, nextTime, timeZoneError } from '../cron/cron.ts'
import type { GivenVariable, PipelineInputs } from '../pipelines/pipelines.ts'
import { keyError, valueError } from '../variables/variables.ts'
import { openInputs, sealInputs } from './inputs.ts'
import {
  countSchedules,
  insertSchedule,
  insertVariable,
  lockSchedule,
  type ScheduleVariable,
  updateSchedule,
  updateVariable,
  variablesOf,
} from './schedules.queries.ts'

const sealedFor = 'ci_schedule_variables.value'
const maxSchedules = 100
const maxVariables = 1_000

export interface ScheduleInput {
  description: string
  /** Branch or tag as sent: `refs/heads/main` is kept in this form. */
  ref: string
  cron: string
  cron_timezone: string
  active: boolean
}

/** Maintainers, and developers for their own schedules. */
export function mayChange(schedule: CiSchedule, { user, level }: { user: User; level: number }): boolean {
  return may('manage_all_schedules', level) || (may('run_pipelines', level) && schedule.owner_id === user.id)
}

/** With its variables and inputs. Throws 400 for invalid fields, and if the project has the maximum number. */
export async function createSchedule(
  app: App,
  project: { id: number },
  owner: User,
  input: ScheduleInput,
  { variables = [], inputs = {} }: { variables?: readonly ScheduleVariableInput[]; inputs?: PipelineInputs } = {},
): Promise<CiSchedule> {
  check(input)
  for (const { key, value } of variables) assertValid({ variables: keyError(key) ?? valueError(value) })
  if ((await countSchedules(app.db, project.id)) >= maxSchedules) {
    throw invalid({ base: [`Maximum number of pipeline schedules (${maxSchedules}) exceeded`] })
  }
  const at = now()
  const { description, ref, cron, cron_timezone, active } = input
  const sealed = sealInputs(app, inputs)
  const about = { description, ref, cron, cron_timezone, active, next_run_at: nextRunOf(input), created_at: at, updated_at: at }
  return inTransaction(app.db, async (tx) => {
    const schedule = await insertSchedule(tx, { project_id: project.id, owner_id: owner.id, inputs: sealed, ...about })
    for (const { key, value, kind } of variables) {
      await insertVariable(tx, { schedule_id: schedule.id, key, value: app.secrets.seal(value, sealedFor), kind, raw: false })
    }
    return schedule
  })
}

export interface ScheduleChanges extends Partial<ScheduleInput> {
  owner_id?: number
  /** Its inputs from those that it has. */
  inputs?: (before: PipelineInputs) => PipelineInputs
}

/** Fields that aren't sent are kept. Throws 400 for invalid fields; 404 if it was deleted meanwhile. */
export function changeSchedule(app: App, { id }: { id: number }, { inputs, ...changes }: ScheduleChanges): Promise<CiSchedule> {
  return inTransaction(app.db, async (tx) => {
    const before = found(await lockSchedule(tx, id))
    const after = { ...before, ...changes }
    check(after)
    const sealed = inputs === undefined ? before.inputs : sealInputs(app, inputs(openInputs(app, before)))
    return found(await updateSchedule(tx, id, { ...changes, inputs: sealed, next_run_at: nextRunOf(after), updated_at: now() }))
  })
}

function found(schedule: CiSchedule | null): CiSchedule {
  if (!schedule) throw notFound('Pipeline Schedule')
  return schedule
}

function check({ description, ref, cron, cron_timezone }: ScheduleInput): void {
  assertValid({
    description: blankError(description) ?? lengthError(description, 255),
    ref: blankError(ref) ?? lengthError(ref, 255),
    cron: blankError(cron) ?? cronError(cron),
    cron_timezone: blankError(cron_timezone) ?? timeZoneError(cron_timezone),
  })
}

/** Null while it is inactive. */
export function nextRunOf({ cron, cron_timezone, active }: Pick<ScheduleInput, 'cron' | 'cron_timezone' | 'active'>): string | null {
  return active ? nextTime(cron, cron_timezone, new Date()) : null
}

export interface ScheduleVariableInput {
  key: string
  value: string
  kind: ScheduleVariable['kind']
}

/** Throws 400 for an invalid or taken key, and an invalid value. */
export async function addVariable(
  app: App,
  schedule: CiSchedule,
  { key: sent, value, kind }: ScheduleVariableInput,
): Promise<ScheduleVariable> {
  const key = sent.trim()
  assertValid({ key: keyError(key), value: valueError(value) })
  if ((await variablesOf(app.db, schedule.id)).length >= maxVariables) {
    throw invalid({ base: [`Maximum number of variables (${maxVariables}) exceeded`] })
  }
  return insertVariable(app.db, { schedule_id: schedule.id, key, value: app.secrets.seal(value, sealedFor), kind, raw: false })
}

export async function changeVariable(
  app: App,
  variable: ScheduleVariable,
  { value, kind = variable.kind }: { value?: string | undefined; kind?: ScheduleVariable['kind'] | undefined },
): Promise<ScheduleVariable> {
  assertValid({ value: valueError(value ?? '') })
  const sealed = value === undefined ? variable.value : app.secrets.seal(value, sealedFor)
  const changed = await updateVariable(app.db, variable, { value: sealed, kind })
  if (!changed) throw notFound('Pipeline Schedule Variable')
  return changed
}

/** With their values in the clear. */
export async function openVariablesOf(app: App, schedule: { id: number }): Promise<GivenVariable[]> {
  return (await variablesOf(app.db, schedule.id)).map((variable) => openVariable(app, variable))
}

export function openVariable(app: App, { key, value, kind, raw }: ScheduleVariable): GivenVariable {
  return { key, value: app.secrets.unseal(value, sealedFor), kind, raw }
}
