/** The state of a running restore. */
import type { NamedTable } from '../archive/archive.ts'
import type { People } from './people.ts'

/** New ids, keyed by those in the archive; null for a line without a row, such as one that conflicts with another. */
export type PlanningIds = Map<NamedTable, Map<number, number | null>>

export interface RestoringPlanning {
  project_id: number
  importer: { id: number }
  people: People
  planning: PlanningIds
  /** Replaces the URLs of uploads in a text. */
  relink: (text: string) => string
  /** Adds the author's name to a text that isn't attributed to them. */
  noted: (text: string, created_at: string, person: number | null) => string
}

export type Line = Record<string, unknown>
