/** Column helpers for migrations, the same on both engines. */
import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

/** Modifiers of a column. */
export type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

export const required: Build = (column) => column.notNull()
export const flag =
  (value: boolean): Build =>
  (column) =>
    column.notNull().defaultTo(sql.lit(value))
export const words =
  (value: string): Build =>
  (column) =>
    column.notNull().defaultTo(value)
export const number =
  (value: number): Build =>
  (column) =>
    column.notNull().defaultTo(value)
export const refers =
  (target: string, onDelete: 'cascade' | 'set null' | 'restrict' = 'cascade'): Build =>
  (column) =>
    column.references(target).onDelete(onDelete)

/** A table whose ids are never reused, on either engine. */
export function tableWithId(db: Kysely<unknown>, name: string): CreateTableBuilder<string, 'id'> {
  const { hasIdentityColumns } = capabilitiesOf(db)
  return db.schema
    .createTable(name)
    .addColumn('id', hasIdentityColumns ? 'bigint' : 'integer', (id) =>
      hasIdentityColumns ? id.primaryKey().generatedByDefaultAsIdentity() : id.primaryKey().autoIncrement(),
    )
}
