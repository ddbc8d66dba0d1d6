/** What is wrong with the fields of a thing, gathered and said at once. */
import type { Visibility } from '../db/tables.ts'
import { type Failure, invalid } from '../failure.ts'

type Complaints = Record<string, string[]>

/** Throws when any field has a complaint: 400 `{ message: { field: ['complaint'] } }`, unless `refuse` words it another way. */
export function refuseWith(found: Record<string, string | null>, refuse: (complaints: Complaints) => Failure = invalid): void {
  const complaints: Complaints = {}
  for (const [field, complaint] of Object.entries(found)) if (complaint !== null) complaints[field] = [complaint]
  if (Object.keys(complaints).length > 0) throw refuse(complaints)
}

export function complainOfBlank(text: string): string | null {
  return text.trim() === '' ? "can't be blank" : null
}

export function complainOfLength(text: string | undefined, most: number): string | null {
  return text !== undefined && text.length > most ? `is too long (maximum is ${most} characters)` : null
}

const openness = { private: 0, internal: 1, public: 2 }

export function isMoreOpen(one: Visibility, other: Visibility): boolean {
  return openness[one] > openness[other]
}

/** Nothing is more open than the group it stands in. */
export function complainOfVisibility(wanted: Visibility, group: Visibility): string | null {
  return isMoreOpen(wanted, group) ? `${wanted} is not allowed in a ${group} group.` : null
}
