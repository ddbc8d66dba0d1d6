/** Fills an empty database with the rows of a snapshot, from either engine: all or nothing. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { StartRefused } from '../failure.ts'
import { capabilitiesOf } from './engine/capabilities.ts'
import { applyMigrations, migrationsNamed } from './migrate.ts'
import { notDumped, type SnapshotTable, type Value } from './snapshot.ts'
import type { Tables } from './tables.ts'

export interface Source {
  migrations: string[]
  tables: SnapshotTable[]
  sequences: Record<string, number>
  rows: (table: SnapshotTable) => AsyncIterable<Value[][]>
}

/** Below the limit of values per statement of both engines. */
const maxValues = 10_000

/** Whether the database has no tables. */
export async function isEmptyDatabase(db: Kysely<Tables>): Promise<boolean> {
  const tables = capabilitiesOf(db).hasInformationSchema
    ? sql`select 1 from information_schema.tables where table_schema = current_schema() limit 1`
    : sql`select 1 from sqlite_master where type = 'table' limit 1`
  return (await tables.execute(db)).rows.length === 0
}

/**
 * Creates the schema of the snapshot, inserts the rows, then migrates. `adjust` may change rows before the migration. Throws StartRefused
 * for rows that don't fit, and for a schema newer than this program.
 */
export async function loadDatabase(db: Kysely<Tables>, source: Source, adjust: (tx: Transaction<Tables>) => Promise<void>): Promise<void> {
  const available = migrationsNamed(source.migrations)
  await db.transaction().execute(async (tx) => {
    await applyMigrations(tx, available)
    const relate = await withoutForeignKeys(tx)
    const tables = inOrder(source.tables)
    // Rows inserted by migrations are also part of the snapshot.
    for (const { name } of tables) await sql`delete from ${sql.table(name)}`.execute(tx)
    for (const table of tables) await insertRows(tx, table, source.rows(table))
    await relate()
    await setSequences(tx, source.sequences)
    await adjust(tx)
    await applyMigrations(tx)
  })
}

/** Tables that triggers of others read, when rows are counted, come first. A snapshot of an earlier version may have what is counted. */
function inOrder(tables: readonly SnapshotTable[]): SnapshotTable[] {
  const isRead = ({ name }: SnapshotTable) => name === 'packages' || name === 'terraform_states'
  const loaded = tables.filter(({ name }) => !notDumped.includes(name))
  return [...loaded.filter(isRead), ...loaded.filter((table) => !isRead(table))]
}

async function insertRows(tx: Transaction<Tables>, { name, columns }: SnapshotTable, batches: AsyncIterable<Value[][]>): Promise<void> {
  const atOnce = Math.max(1, Math.floor(maxValues / columns.length))
  const list = sql.join(columns.map((column) => sql.ref(column)))
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += atOnce) {
      const rows = sql.join(batch.slice(at, at + atOnce).map((row) => sql`(${sql.join(row)})`))
      await sql`insert into ${sql.table(name)} (${list}) values ${rows}`.execute(tx)
    }
  }
}

/**
 * Disables foreign keys, since rows may refer to later ones, also of their own table. Returns a check of all references, to be run at the
 * end.
 */
async function withoutForeignKeys(tx: Transaction<Tables>): Promise<() => Promise<void>> {
  if (capabilitiesOf(tx).defersForeignKeys) {
    await sql`pragma defer_foreign_keys = on`.execute(tx)
    return async () => {
      const { rows } = await sql<{ table: string; parent: string }>`select "table", parent from pragma_foreign_key_check limit 1`.execute(
        tx,
      )
      const [broken] = rows
      if (broken) throw new StartRefused(`the backup has a row in ${broken.table} whose row in ${broken.parent} is missing`)
    }
  }
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(tx)
  for (const { table, name } of rows) await sql`alter table ${sql.raw(table)} drop constraint ${sql.id(name)}`.execute(tx)
  return async () => {
    for (const { table, name, definition } of rows) {
      await sql`alter table ${sql.raw(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(tx)
    }
  }
}

/** Ids are never reused, because folders of repositories are named after them. */
async function setSequences(tx: Transaction<Tables>, sequences: Record<string, number>): Promise<void> {
  for (const [table, last] of Object.entries(sequences)) {
    if (last === 0) continue
    if (capabilitiesOf(tx).hasIdentityColumns) await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(tx)
    else {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(tx)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx)
    }
  }
}
