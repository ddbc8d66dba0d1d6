/** Exports: what other features may use. */
export { kept_ms, stopExport } from './create-export.service.ts'
export { downloadOf, exportSeenBy, sendArchive, visibleTo } from './download.service.ts'
export { exporting, exportingGroup } from './exports.access.ts'
export { startExport } from './exports.service.ts'
