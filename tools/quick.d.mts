/** Types of quick.mjs, for the tests. */
export interface Selection {
  files: string[]
  endpoints: string[] | null
  isWider: boolean
  /** Files of tests that the change may concern, too, and that a minute has no room for. */
  leftOut: string[]
}
export function selectionOf(change: { changed: string[]; added: string[] }): Selection
export const laws: string[]
