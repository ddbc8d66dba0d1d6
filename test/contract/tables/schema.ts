/** The schema of a migrated SQLite database, for the laws about tables. PostgreSQL has the same tables, columns and references. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../src/db/tables.ts'

export interface Column {
  table: string
  name: string
  /** Whether a row can't be inserted without a value for it. */
  isRequired: boolean
  /** The column that it refers to, and what a reference does when that row is deleted. */
  parent: { table: string; column: string; on_delete: 'CASCADE' | 'SET NULL' | 'RESTRICT' | 'NO ACTION' } | null
}

export const nameOf = ({ table, name }: Column): string => `${table}.${name}`

/** The columns of all tables but those that SQLite and its search indexes keep for themselves. */
export async function columnsOf(db: Kysely<Tables>): Promise<Column[]> {
  const ours = sql`pragma_table_list as tables where tables.schema = 'main' and tables.type = 'table' and tables.name not like 'sqlite_%'`
  const { rows: columns } = await sql<{ table: string; name: string; isRequired: number }>`
    select list.name as "table", info.name, info."notnull" and info.dflt_value is null and not (info.pk and info.type = 'integer') as "isRequired"
    from (select tables.name from ${ours}) as list join pragma_table_info(list.name) as info order by list.name, info.cid`.execute(db)
  const { rows: references } = await sql<{ table: string; name: string; to: string; column: string; on_delete: 'CASCADE' }>`
    select list.name as "table", keys."from" as name, keys."table" as "to", keys."to" as "column", keys.on_delete
    from (select tables.name from ${ours}) as list join pragma_foreign_key_list(list.name) as keys`.execute(db)
  const parents = new Map(
    references.map(({ table, name, to, column, on_delete }) => [`${table}.${name}`, { table: to, column, on_delete }]),
  )
  return columns.map(({ table, name, isRequired }) => ({
    table,
    name,
    isRequired: isRequired === 1,
    parent: parents.get(`${table}.${name}`) ?? null,
  }))
}

/** The tables whose rows belong to a project: by a column of its id, or by a row of another such table that they refer to. */
export function tablesOfProjects(columns: Column[]): string[] {
  const found = new Set(['projects', ...columns.filter(({ name }) => name === 'project_id').map(({ table }) => table)])
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const { table, parent } of columns) if (parent && found.has(parent.table)) found.add(table)
  }
  return [...found].sort()
}
