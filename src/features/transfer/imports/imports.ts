/** Imports from a URL: what other features may use. */
export { type Filling, fillProject } from './fill.service.ts'
export { reopenImport } from './imports.queries.ts'
export { cannotBegin, restartImport, startImport, stopImport } from './imports.service.ts'
