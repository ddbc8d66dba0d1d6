/** Archives of groups: what pages may use. */
export { maxArchive_bytes } from '../archive/archive.ts'
export { importGroup } from './import.service.ts'
export { groupExportSeenBy, startGroupExport } from './requests.service.ts'
