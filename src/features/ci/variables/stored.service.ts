/** The variables that a pipeline gets from outside of its file: of the instance, the groups and the project. */
import type { App } from '../../../app.ts'
import type { ScopedVariable } from '../../../ci/plan.ts'
import { variablesCovering } from '../../../ci/text/environment-scopes.ts'
import type { Db } from '../../../db/database.ts'
import { variablesReaching } from './variables.queries.ts'

/** A variable for jobs. `masked`: its value must not appear in traces. */
export interface StoredVariable extends ScopedVariable {
  masked: boolean
}

/** The purpose for which values are sealed. */
export const sealedFor = 'ci_variables.value'

interface Reached {
  project: { id: number; namespace_id: number }
  /** Whether the ref is protected. Otherwise protected variables aren't even read. */
  protected: boolean
}

/** All stored variables that apply to a project, with their environment scopes. One statement. */
export async function loadScopedVariables(db: Db, secrets: App['secrets'], from: Reached): Promise<StoredVariable[]> {
  const rows = await variablesReaching(db, from.project, from.protected)
  return rows.map(({ value, kind, ...row }) => ({ ...row, value: secrets.unseal(value, sealedFor), file: kind === 'file' }))
}

/**
 * Loads all variables once and returns a function that picks those for an environment: of instance, groups from the top, project, in
 * ascending precedence.
 */
export async function loadStoredVariables(
  db: Db,
  secrets: App['secrets'],
  from: Reached,
): Promise<(environment: string | null) => StoredVariable[]> {
  return variablesCovering(await loadScopedVariables(db, secrets, from))
}
