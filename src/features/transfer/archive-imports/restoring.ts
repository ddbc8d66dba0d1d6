/** What the lines of an archive are restored with. */
import type { NamedTable } from '../archive/archive.ts'
import type { People } from './people.ts'

/** New ids by those in the archive; null for a line that has no row, as for one that conflicts with another. */
export type PlanningIds = Map<NamedTable, Map<number, number | null>>

export interface RestoringPlanning {
  project_id: number
  importer: { id: number }
  people: People
  planning: PlanningIds
  /** The text with the URLs of its uploads here. */
  relink: (text: string) => string
  /** What somebody wrote, with their name where it is not attributed to them. */
  noted: (text: string, created_at: string, person: number | null) => string
}

export type Line = Record<string, unknown>
