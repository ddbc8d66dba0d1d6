/** Imports of archives: what others may use of them. */
export { importsAllowed } from './archive-imports.access.ts'
export { startArchiveImport } from './archive-imports.service.ts'
