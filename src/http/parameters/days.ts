/** Days in parameters as clients of release 11.3 may write them. */
import type { Day } from '../../db/tables.ts'
import { badParameter } from '../../failure.ts'

/** The day of a date or an instant; zeros may be left out: `2001-2-3`. Throws 400 for what is no day of the calendar. */
export function readLooseDay(name: string, text: string): Day {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d?)-(\d\d?)(?:$|[T ])/.exec(text) ?? []
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // A day that no month has would be one of the next.
  if (new Date(`${found}T00:00:00Z`).toJSON()?.startsWith(found)) return found
  throw badParameter(`${name} is invalid`)
}
