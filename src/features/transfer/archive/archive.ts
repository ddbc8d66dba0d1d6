/** Archives of projects, their format, reading and writing: what other features may use of them. */
export { flags, type Line, maxArchive_bytes, type ProjectSettings, type RowTable, rowTableNames, rowTables } from './format.ts'
export { pagesOf } from './lines.ts'
export { readArchive, type Unpacked, wrong } from './read.ts'
export { writeArchive } from './write.ts'
