/** Preferences of users for pages. */
import type { Db } from '../../../db/database.ts'
import type { Dashboard } from '../../../db/tables.ts'
import { assertValid } from '../../../validation.ts'
import { updateUser } from './users.queries.ts'

export interface Preferences {
  /** The list that the root page shows. */
  dashboard: string
  /** First day of the week in calendars: 0 is Sunday. */
  week_starts_on: number
}

export const dashboards: readonly Dashboard[] = ['projects', 'starred', 'groups', 'activity']

/** Throws 400 for an invalid list or day. */
export async function setPreferences(db: Db, id: number, { dashboard, week_starts_on }: Preferences): Promise<void> {
  const known = dashboards.find((name) => name === dashboard)
  assertValid({
    dashboard: known ? null : 'is not included in the list',
    week_starts_on: [0, 1, 6].includes(week_starts_on) ? null : 'is not included in the list',
  })
  if (known) await updateUser(db, id, { dashboard: known, week_starts_on })
}
