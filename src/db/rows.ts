/** Groups rows and ids for presenters. */

/** The distinct ids in a column, without nulls. */
export function distinctIds(ids: Array<number | null>): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}

/** Rows grouped by key, each group in the order of the rows. */
export function grouped<R>(rows: R[], keyOf: (row: R) => number): Map<number, R[]> {
  const groups = new Map<number, R[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
