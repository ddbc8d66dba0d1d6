/** Lines of planning for archives. Their references are checked, as the project changes while it is written. */

import type { PlanningRow } from './planning.queries.ts'
import {
  lists,
  type NamedTable,
  needed,
  type PlanningTable,
  people,
  peopleLists,
  planningTables,
  type Reference,
  references,
} from './planning-format.ts'

/** The ids of the lines written so far, by table. */
export type Written = Map<NamedTable, Set<number>>

/** The line of a row; null if it refers to something that was added after its table was read, or that is elsewhere. */
export function planningLine(written: Written, table: PlanningTable, row: PlanningRow): Record<string, unknown> | null {
  const line: Record<string, unknown> = {}
  for (const name of Object.keys(planningTables[table].properties)) {
    const value = row[name] ?? null
    const isMissing = name in references && value !== null && !isWritten(written, name as Reference, value)
    if (isMissing && needed[table]?.includes(name as Reference)) return null
    line[name] = isMissing ? null : value
  }
  for (const [name, reference] of Object.entries(lists)) {
    const ids = line[name]
    if (Array.isArray(ids)) line[name] = ids.filter((id) => isWritten(written, reference, id))
  }
  if ('id' in line) noteWritten(written, table, row.row_id)
  return line
}

function isWritten(written: Written, name: Reference, id: unknown): boolean {
  return written.get(references[name].table)?.has(id as number) ?? false
}

export function noteWritten(written: Written, table: NamedTable, id: number): void {
  const ids = written.get(table) ?? new Set()
  written.set(table, ids.add(id))
}

/** The ids of the users to whom a line refers. */
export function peopleIn(line: Record<string, unknown>): number[] {
  const single = ['person', ...Object.keys(people)].map((name) => line[name])
  const many = peopleLists.flatMap((name) => (line[name] ?? []) as unknown[])
  return [...single, ...many].filter((id): id is number => typeof id === 'number')
}
