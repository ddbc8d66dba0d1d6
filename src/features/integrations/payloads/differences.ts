/** The `changes` of payloads: current and previous values. Pure functions. */

export interface Difference {
  previous: unknown
  current: unknown
}

/** Those of the columns that differ; for something new, those that have a value. */
export function differencesOf<Row extends object>(
  names: readonly (keyof Row & string)[],
  before: Partial<Row> | null,
  after: Row,
): Record<string, Difference> {
  const changes: Record<string, Difference> = {}
  for (const name of names) {
    const current = after[name] ?? null
    // Columns missing in the previous state haven't changed.
    const previous = before === null ? null : name in before ? (before[name] ?? null) : current
    if (previous !== current) changes[name] = { previous, current }
  }
  return changes
}

/** Ids before a change. */
export function before(ids: readonly number[], { added, removed }: { added: number[]; removed: number[] }): number[] {
  return [...ids.filter((id) => !added.includes(id)), ...removed].sort((a, b) => a - b)
}

export function areSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id))
}
