/** Project archives: format, reading and writing. What other features may use. */

export { ciSettingNames } from './ci-format.ts'
export { flags, type Line, maxArchive_bytes, type ProjectSettings, type RowTable, rowTableNames, rowTables } from './format.ts'
export {
  exactlyOne,
  type ListTable,
  lists,
  listTables,
  type NamedTable,
  needed,
  type PlanningTable,
  people,
  peopleLists,
  planningTableNames,
  type Reference,
  references,
} from './planning-format.ts'
export { readArchive, type Unpacked } from './read-archive.ts'
export { reviewSettingNames } from './review-format.ts'
export { readLines, readPages } from './table-lines.ts'
export { archiveError, type Entry, parse, readWhole, unpack } from './unpack.ts'
export { writeArchive } from './write-archive.ts'
