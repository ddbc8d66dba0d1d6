/** Types of quick.mjs, for the tests. */
export interface Selection {
  files: string[]
  endpoints: string[] | null
  isWider: boolean
}
export function selectionOf(change: { changed: string[]; added: string[] }): Selection
export const laws: string[]
