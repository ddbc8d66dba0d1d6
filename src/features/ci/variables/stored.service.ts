/** The variables that a pipeline gets from outside of its file: of the instance, the groups and the project. */

import type { App } from '../../../app.ts'
import type { KnownVariable } from '../../../ci/plan.ts'
import type { Db } from '../../../db/database.ts'
import { matcherOfScope } from './scopes.ts'
import { type ReachingRow, variablesReaching } from './variables.queries.ts'

/** A variable as jobs get it. `masked`: its value must not be shown in traces. */
export interface StoredVariable extends KnownVariable {
  masked: boolean
}

/** The purpose that values are sealed for. */
export const sealedFor = 'ci_variables.value'

/**
 * The stored variables of a project: one statement, then a function. For an environment it gives those whose scope covers it (for
 * null those of all environments), each key once, in ascending precedence: instance, groups from the top, project. Of one place the
 * scope that names the environment wins over one with a wildcard, and that over `*`.
 * @param from `protected`: whether the ref is protected. Protected variables aren't even read otherwise.
 */
export async function loadStoredVariables(
  db: Db,
  secrets: App['secrets'],
  from: { project: { id: number; namespace_id: number }; protected: boolean },
): Promise<(environment: string | null) => StoredVariable[]> {
  const rows = (await variablesReaching(db, from.project, from.protected)).map((row) => ({
    row,
    covers: matcherOfScope(row.environment_scope),
  }))
  const opened = new Map<number, StoredVariable>()
  const open = (row: ReachingRow): StoredVariable => {
    const known = opened.get(row.id)
    if (known) return known
    const { key, raw, masked, kind } = row
    const variable = { key, value: secrets.unseal(row.value, sealedFor), raw, file: kind === 'file', masked }
    opened.set(row.id, variable)
    return variable
  }
  return (environment) => {
    const chosen = new Map<string, ReachingRow>()
    const covering = rows.filter(({ covers }) => covers(environment)).map(({ row }) => row)
    covering.sort((a, b) => a.nearness - b.nearness || rank(a, environment) - rank(b, environment) || a.id - b.id)
    for (const row of covering) {
      // Deleted first: the order of a map is that of insertion, and the last one has precedence.
      chosen.delete(row.key)
      chosen.set(row.key, row)
    }
    return [...chosen.values()].map(open)
  }
}

function rank({ environment_scope }: ReachingRow, environment: string | null): number {
  if (environment_scope === environment) return 2
  return environment_scope === '*' ? 0 : 1
}
