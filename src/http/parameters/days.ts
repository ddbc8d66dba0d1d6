/** Days in parameters, in the formats that clients of release 11.3 may send. */
import type { Day } from '../../db/tables.ts'
import { badParameter } from '../../failure.ts'

/** The day of a date or an instant; leading zeros are optional: `2001-2-3`. Throws 400 if it isn't a day of the calendar. */
export function readLooseDay(name: string, text: string): Day {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d?)-(\d\d?)(?:$|[T ])/.exec(text) ?? []
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // `Date` would convert a day that the month doesn't have to one of the next month.
  if (new Date(`${found}T00:00:00Z`).toJSON()?.startsWith(found)) return found
  throw badParameter(`${name} is invalid`)
}
