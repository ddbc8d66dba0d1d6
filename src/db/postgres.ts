/** The PostgreSQL dialect: a guarded pool, and 64-bit counts as numbers. */
import { CompiledQuery, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type GuardOptions, guardPool } from './guarded-pool.ts'
import { allowsPrepared } from './kept-plans.ts'
import { loadPg } from './pg.ts'

const int8 = 20
const numeric = 1700

/** Connections, and how long a statement waits for a free or a new one. */
const limits = { max: 10, connectionTimeoutMillis: 10_000 }

/** 64-bit counts as numbers. */
export function postgresTypes(): pg.TypeOverrides {
  const types = new (loadPg().TypeOverrides)()
  types.setTypeParser(int8, Number)
  types.setTypeParser(numeric, Number)
  return types
}

export function postgresDialect(url: string, options: GuardOptions = {}): PostgresDialect {
  const types = postgresTypes()
  const config = { connectionString: url, types, application_name: 'gitstead', keepAlive: true }
  return new PostgresDialect({
    pool: guardPool(new (loadPg().Pool)({ ...config, ...limits }), config, { prepares: allowsPrepared(url), ...options }),
    // Subqueries about access raise the estimated cost: PostgreSQL would compile a query for a second, to run it for a millisecond.
    async onCreateConnection(connection) {
      await connection.executeQuery(CompiledQuery.raw('set jit = off'))
    },
  })
}
