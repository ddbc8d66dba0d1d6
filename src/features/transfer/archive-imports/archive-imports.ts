/** Archive imports: what other features may use. */
export { importsAllowed } from './archive-imports.access.ts'
export { findImport as findArchiveImport } from './archive-imports.queries.ts'
export { startArchiveImport } from './archive-imports.service.ts'
export { stopArchiveImport } from './import-state.service.ts'
export { matchPeople, type People } from './people.ts'
export { maxVisibilityBelow } from './visibility.ts'
