/** Ids that columns refer to, each once. */

export function distinctIds(ids: Array<number | null>): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}
