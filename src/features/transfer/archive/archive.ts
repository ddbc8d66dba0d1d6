/** Archives: format, reading and writing. What other features may use. */

export { ciSettingNames } from './ci-format.ts'
export {
  badgeFields,
  flags,
  type Line,
  maxArchive_bytes,
  type ProjectSettings,
  personLine,
  type RowTable,
  rowTableNames,
  rowTables,
} from './format.ts'
export { Day, flag, Instant, line, number, text } from './format-words.ts'
export { addBytes, addMade, addPeople, addStored, appendLines, type Packing, packed, page_rows } from './packing.ts'
export {
  exactlyOne,
  type ListTable,
  labelFields,
  lists,
  listTables,
  milestoneFields,
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
export { archiveError, readWhole, requireVersion, toDisk, toStore, unpack } from './unpack.ts'
export { writeArchive } from './write-archive.ts'
