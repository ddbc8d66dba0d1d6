/** Rows and their ids, as presenters ask for them. */

/** Ids that columns refer to, each once. */
export function distinctIds(ids: Array<number | null>): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}

/** Rows by their key, each group in the order of the rows. */
export function grouped<R>(rows: R[], keyOf: (row: R) => number): Map<number, R[]> {
  const groups = new Map<number, R[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
