/** The PostgreSQL dialect: a guarded pool, and 64-bit integers as numbers. */
import { CompiledQuery, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import type { Capabilities, CapableAdapter } from './engine/capabilities.ts'
import { type GuardOptions, guardPool } from './guarded-pool.ts'
import { allowsPrepared } from './kept-plans.ts'
import { loadPg } from './pg.ts'

const int8 = 20
const numeric = 1700

/** Connections, and how long a statement waits for one. */
const limits = { max: 10, connectionTimeoutMillis: 10_000 }

/** Parses 64-bit integers as numbers. */
export function postgresTypes(): pg.TypeOverrides {
  const types = new (loadPg().TypeOverrides)()
  types.setTypeParser(int8, Number)
  types.setTypeParser(numeric, Number)
  return types
}

export function postgresDialect(url: string, options: GuardOptions = {}): PostgresDialect {
  const types = postgresTypes()
  const config = { connectionString: url, types, application_name: 'gitstead', keepAlive: true }
  return new CapableDialect({
    pool: guardPool(new (loadPg().Pool)({ ...config, ...limits }), config, { prepares: allowsPrepared(url), ...options }),
    // Subqueries about access have a high estimated cost, so PostgreSQL would spend a second on JIT compilation of a query that runs for a
    // millisecond.
    async onCreateConnection(connection) {
      await connection.executeQuery(CompiledQuery.raw('set jit = off'))
    },
  })
}

class CapableDialect extends PostgresDialect {
  override createAdapter(): Adapter {
    return new Adapter()
  }
}

class Adapter extends PostgresAdapter implements CapableAdapter {
  readonly capabilities: Capabilities = {
    locksRows: true,
    changes: null,
    hasArrays: true,
    hasTrigramIndexes: true,
    appendsCounts: true,
    altersConstraints: true,
    comparesBytes: false,
    hasIdentityColumns: true,
    hasInformationSchema: true,
    defersForeignKeys: false,
    metersStatements: false,
    bytesType: 'bytea',
    jsonArray: (column) => sql<string>`coalesce(json_agg(${column}), '[]')::text`,
  }
}
