/** CI variables as JSON. */
import type { Static } from 'typebox'
import type { App } from '../../../app.ts'
import { sealedFor } from './stored.service.ts'
import type { VariableRow } from './variables.queries.ts'
import type { InstanceVariable, Variable } from './variables.schema.ts'
import { openValue } from './variables.service.ts'

export function presentVariable(app: App, row: VariableRow): Static<typeof Variable> {
  const { kind, key, hidden, masked, raw, environment_scope, description } = row
  const value = openValue(app, row)
  return { variable_type: kind, key, value, protected: row.protected, masked, raw, description, hidden, environment_scope }
}

export function presentInstanceVariable({ secrets }: App, row: VariableRow): Static<typeof InstanceVariable> {
  const { kind, key, masked, raw, description } = row
  return { variable_type: kind, key, value: secrets.unseal(row.value, sealedFor), protected: row.protected, masked, raw, description }
}
