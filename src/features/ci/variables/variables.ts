/** Variables of CI: what other features may use. */
export { keyError, valueError } from './rules.ts'
export { loadScopedVariables, loadStoredVariables, type StoredVariable } from './stored.service.ts'
export { variablesManaged } from './variables.access.ts'
export { deleteVariable, listVariables, type VariablePlace, type VariableRow, variableAt } from './variables.queries.ts'
export { changeVariable, createVariable, openValue } from './variables.service.ts'
