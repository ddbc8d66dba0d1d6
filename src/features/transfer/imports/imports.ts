/** Imports from a URL: what other features may use of them. */
export { type Filling, fillProject } from './fill.service.ts'
export { startImport } from './imports.service.ts'
