/** A database for one operation: what its statements bring into memory is counted row by row, up to a limit. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryExecutor,
  type TransactionBuilder,
} from 'kysely'
import type { ReadMeter } from '../limits/read-meter.ts'
import type { CapableAdapter } from './engine/capabilities.ts'
import type { Tables } from './tables.ts'

/** On SQLite the meter is passed to the driver with the statement. */
interface MeteredQuery extends CompiledQuery {
  meter?: ReadMeter
}

export function meterOf(query: CompiledQuery): ReadMeter | undefined {
  return (query as MeteredQuery).meter
}

/** On PostgreSQL the pool only gets the text of a statement, so the meter of the running statement is passed implicitly. */
export const meterUnderWay = new AsyncLocalStorage<ReadMeter>()

/** Estimated size of a row in memory: mainly its texts. */
export function bytesOfRow(row: object): number {
  let bytes = 0
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length
  return bytes
}

/** Shares connections and caches with the database. Transactions are those of the database, and not metered. */
export function meteredDatabase(db: Kysely<Tables>, dialect: Dialect, meter: ReadMeter): Kysely<Tables> {
  return new MeteredDatabase(db, dialect, meter)
}

/** The database without the meter, for values that are read once and shared: the meter of one operation must not fail that read. */
export function unmetered(db: Kysely<Tables>): Kysely<Tables> {
  return db instanceof MeteredDatabase ? db.whole : db
}

class MeteredDatabase extends Kysely<Tables> {
  readonly whole: Kysely<Tables>

  constructor(whole: Kysely<Tables>, dialect: Dialect, meter: ReadMeter) {
    super({ config: { dialect }, dialect, driver: new DummyDriver(), executor: meteredExecutor(whole.getExecutor(), meter) })
    this.whole = whole
  }

  override transaction(): TransactionBuilder<Tables> {
    return this.whole.transaction()
  }
}

function meteredExecutor(executor: QueryExecutor, meter: ReadMeter): QueryExecutor {
  const { metersStatements } = (executor.adapter as CapableAdapter).capabilities
  return executor.withConnectionProvider({
    provideConnection: (consumer) =>
      executor.provideConnection((connection) => consumer(meteredConnection(connection, meter, metersStatements))),
  })
}

function meteredConnection(connection: DatabaseConnection, meter: ReadMeter, metersStatements: boolean): DatabaseConnection {
  return {
    executeQuery<R>(query: CompiledQuery) {
      const metered: MeteredQuery = { ...query, meter }
      return metersStatements ? connection.executeQuery<R>(metered) : meterUnderWay.run(meter, () => connection.executeQuery<R>(query))
    },
    streamQuery: (query, size) => connection.streamQuery(query, size),
  }
}
