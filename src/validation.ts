/** Input of callers: collects the errors of all fields and reports them together; which fields were sent. */
import type { Visibility } from './db/tables.ts'
import { type Failure, invalid } from './failure.ts'

type FieldErrors = Record<string, string[]>

/** Throws if any field has an error: 400 `{ message: { field: ['error'] } }`, unless `refuse` words it differently. */
export function assertValid(found: Record<string, string | null>, refuse: (fieldErrors: FieldErrors) => Failure = invalid): void {
  const fieldErrors: FieldErrors = {}
  for (const [field, fieldError] of Object.entries(found)) if (fieldError !== null) fieldErrors[field] = [fieldError]
  if (Object.keys(fieldErrors).length > 0) throw refuse(fieldErrors)
}

export function blankError(text: string): string | null {
  return text.trim() === '' ? "can't be blank" : null
}

export function lengthError(text: string | undefined, max: number): string | null {
  return text !== undefined && text.length > max ? `is too long (maximum is ${max} characters)` : null
}

/** The fields that were sent, where undefined means that one was not. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

const openness = { private: 0, internal: 1, public: 2 }

export function isMoreOpen(one: Visibility, other: Visibility): boolean {
  return openness[one] > openness[other]
}

export function moreOpenThan(visibility: Visibility): Visibility[] {
  return (['internal', 'public'] as const).filter((one) => isMoreOpen(one, visibility))
}

/** Nothing may be more visible than the group that contains it. */
export function visibilityError(wanted: Visibility, group: Visibility): string | null {
  return isMoreOpen(wanted, group) ? `${wanted} is not allowed in a ${group} group.` : null
}

/** The first value that is there twice; undefined if there is none. */
export function firstRepeated(values: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return values.find((value) => seen.size === seen.add(value).size)
}
