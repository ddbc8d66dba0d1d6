/** Brings the schema up to date: forward only, and never on a schema newer than this program. */
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import { StartRefused } from '../failure.ts'
import { foundation } from './migrations/0001-foundation.ts'
import type { Tables } from './tables.ts'

/** Every migration ever released, in order. A released one is never edited. */
const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
}

const journal = 'schema_migrations'

/** Applies what is missing, each migration in a transaction; one process at a time. Returns the names applied. */
export async function migrate(db: Kysely<Tables>, available = migrations): Promise<string[]> {
  await refuseNewer(db, available)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => available },
    migrationTableName: journal,
    migrationLockTableName: 'schema_migrations_lock',
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

async function refuseNewer(db: Kysely<Tables>, available: Record<string, Migration>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === journal)) return
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(journal)}`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !(name in available))
  if (unknown.length > 0) {
    throw new StartRefused(
      `the database was written by a newer Gitstead (it has ${unknown.join(', ')}); start that version or restore a backup`,
    )
  }
}
