/** Rules of freeze periods, in which nothing should be deployed; `CI_DEPLOY_FREEZE` tells jobs about them. */
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiFreezePeriod } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { assertValid, blankError } from '../../../validation.ts'
import { cronError, nextTime, previousTime, timeZoneError } from '../cron/cron.ts'
import { freezePeriodsOf, insertFreezePeriod, updateFreezePeriod } from './freeze-periods.queries.ts'

export type FreezeInput = Pick<CiFreezePeriod, 'freeze_start' | 'freeze_end' | 'cron_timezone'>

const maxPeriods = 100

/** Throws 400 for invalid expressions, an unknown time zone, and if the project has the maximum number. */
export async function createFreezePeriod(app: App, project_id: number, input: FreezeInput): Promise<CiFreezePeriod> {
  check(input)
  if ((await freezePeriodsOf(app.db, project_id)).length >= maxPeriods) {
    throw invalid({ base: [`Maximum number of freeze periods (${maxPeriods}) exceeded`] })
  }
  const at = now()
  const { freeze_start, freeze_end, cron_timezone } = input
  return insertFreezePeriod(app.db, { project_id, freeze_start, freeze_end, cron_timezone, created_at: at, updated_at: at })
}

/** Fields that aren't sent are kept. Throws 400 as `createFreezePeriod` does; 404 if it was deleted meanwhile. */
export async function changeFreezePeriod(app: App, period: CiFreezePeriod, changes: Partial<FreezeInput>): Promise<CiFreezePeriod> {
  const { freeze_start, freeze_end, cron_timezone } = { ...period, ...changes }
  check({ freeze_start, freeze_end, cron_timezone })
  const changed = await updateFreezePeriod(app.db, period.id, { freeze_start, freeze_end, cron_timezone, updated_at: now() })
  if (!changed) throw notFound('Freeze Period')
  return changed
}

function check({ freeze_start, freeze_end, cron_timezone }: FreezeInput): void {
  const error = (cron: string) => blankError(cron) ?? cronError(cron)
  assertValid({ freeze_start: error(freeze_start), freeze_end: error(freeze_end), cron_timezone: timeZoneError(cron_timezone) })
}

/** Whether the instant is within one of the project's periods. */
export async function isFrozen(db: Db, project_id: number, at = new Date()): Promise<boolean> {
  return (await freezePeriodsOf(db, project_id)).some((period) => isWithin(period, at))
}

function isWithin({ freeze_start, freeze_end, cron_timezone }: FreezeInput, at: Date): boolean {
  const start = previousTime(freeze_start, cron_timezone, at)
  const end = start && nextTime(freeze_end, cron_timezone, new Date(start))
  return end !== null && Date.parse(end) > at.getTime()
}
