/** PostgreSQL as the rest of the house expects a database to be: 64-bit counts as numbers. */
import { PostgresDialect } from 'kysely'
import pg from 'pg'

const int8 = 20
const numeric = 1700

/** 64-bit counts as numbers. */
export function postgresTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  types.setTypeParser(int8, Number)
  types.setTypeParser(numeric, Number)
  return types
}

export function postgresDialect(url: string): PostgresDialect {
  const types = postgresTypes()
  const pool = new pg.Pool({ connectionString: url, types, max: 10, connectionTimeoutMillis: 10_000, application_name: 'gitstead' })
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}
