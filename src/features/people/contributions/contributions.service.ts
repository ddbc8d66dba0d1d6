/** The contributions of a user in the last year, by day. */
import type { Viewer } from '../../../access/visible.ts'
import type { Db } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import type { Day, User } from '../../../db/tables.ts'
import { contributionsByDay, type DayCount } from './contributions.queries.ts'

export interface Contributions {
  /** From a year ago to today, each with its number. */
  days: DayCount[]
  total: number
}

const day_ms = 86_400_000

/** Null if the profile is private, except for its user and administrators. One statement. */
export async function contributionsOf(db: Db, owner: User, viewer: (Viewer & { id: number }) | null): Promise<Contributions | null> {
  if (owner.private_profile && !viewer?.admin && viewer?.id !== owner.id) return null
  const days = lastYear(today())
  const counted = new Map((await contributionsByDay(db, owner.id, viewer, days[0] ?? today())).map(({ day, number }) => [day, number]))
  const found = days.map((day) => ({ day, number: counted.get(day) ?? 0 }))
  return { days: found, total: found.reduce((sum, { number }) => sum + number, 0) }
}

/** All days of a year up to this one. */
function lastYear(end: Day): Day[] {
  const last = Date.parse(`${end}T00:00:00Z`)
  return Array.from({ length: 366 }, (_, index) => new Date(last - (365 - index) * day_ms).toISOString().slice(0, 10))
}
