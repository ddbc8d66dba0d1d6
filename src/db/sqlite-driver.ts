/**
 * Runs queries on one SQLite connection. Writers wait for a lock of our own rather than inside SQLite, which would block the event loop.
 */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, type SqliteDatabase } from 'kysely'
import type { ReadMeter } from '../limits/read-meter.ts'
import { meterOf } from './metered-database.ts'
import { noteRead } from './recorded-reads.ts'

/** Releases the lock. */
export type Unlock = () => void

/** Waits for the write lock, which all processes of a server share. */
export type LockWrites = () => Promise<Unlock>

/** The interface of a statement that the driver needs, beyond what Kysely does. */
export interface Statement extends ReturnType<SqliteDatabase['prepare']> {
  readonly isWrite: boolean
  /** As `all`, but row by row and up to the limit of the meter. */
  allMetered: (parameters: readonly unknown[], meter: ReadMeter) => unknown[]
}

export interface Connection {
  prepare: (sql: string) => Statement
  close: () => void
}

/** A lock within one process: first come, first served. */
export function localLock(): LockWrites {
  let last: Promise<void> = Promise.resolve()
  return () => {
    const before = last
    let unlock: Unlock = () => {}
    last = new Promise((resolve) => {
      unlock = resolve
    })
    return before.then(() => unlock)
  }
}

/** A user of the connection; `unlock` is set while their transaction is open. */
interface Session extends DatabaseConnection {
  unlock: Unlock | null
  /** When the transaction last yielded to the event loop. */
  yielded_ms: number
}

/**
 * How long statements of a transaction may run without a break. By themselves they never yield to the event loop, so during a transaction
 * of twenty seconds the process would answer nobody: no health probe, and not the primary process, which would consider it hung.
 */
const maxTurn_ms = 50

/**
 * Replaces Kysely's own driver, which gives the connection to one user at a time: a transaction that waits for another process would block
 * every read. Here a transaction, or a write outside of one, takes the lock first; a read waits only while a transaction of this process is
 * open.
 */
export function sqliteDriver(connection: Connection, lockWrites: LockWrites): Driver {
  /** Settles when the transaction of this process has ended; null if none is open. */
  let transaction: Promise<void> | null = null
  let endTransaction = () => {}

  const run = <R>(query: CompiledQuery) => {
    const statement = connection.prepare(query.sql)
    if (!statement.isWrite) noteRead(query.sql)
    return execute<R>(statement, query.parameters, meterOf(query))
  }

  function openSession(): Session {
    const session: Session = {
      unlock: null,
      yielded_ms: 0,
      async executeQuery<R>(query: CompiledQuery) {
        if (session.unlock) {
          if (performance.now() - session.yielded_ms > maxTurn_ms) {
            await setImmediate()
            session.yielded_ms = performance.now()
          }
          return run<R>(query)
        }
        const isOver = async () => {
          while (transaction) await transaction
        }
        if (transaction) await isOver()
        if (!connection.prepare(query.sql).isWrite) return retryWhileBusy(() => run<R>(query), isOver)
        const unlock = await lockWrites()
        try {
          return await retryWhileBusy(() => run<R>(query))
        } finally {
          unlock()
        }
      },
      streamQuery() {
        throw new Error('SQLite returns all rows at once: streaming is not supported')
      },
    }
    return session
  }

  const end = (session: Session) => {
    const { unlock } = session
    session.unlock = null
    transaction = null
    endTransaction()
    unlock?.()
  }
  const finish = async (session: Session, word: 'commit' | 'rollback') => {
    await session.executeQuery(CompiledQuery.raw(word))
    end(session)
  }

  return {
    async init() {},
    acquireConnection: async () => openSession(),
    async beginTransaction(given) {
      const session = given as Session
      const unlock = await lockWrites()
      // Pending reads of this process are done: each takes one step of the event loop.
      transaction = new Promise((resolve) => {
        endTransaction = resolve
      })
      session.unlock = unlock
      session.yielded_ms = performance.now()
      try {
        await retryWhileBusy(() => run(CompiledQuery.raw('begin')))
      } catch (error) {
        end(session)
        throw error
      }
    },
    commitTransaction: (session) => finish(session as Session, 'commit'),
    // Also called after a failed commit: the transaction is still open then, unless SQLite has ended it.
    rollbackTransaction: (session) => finish(session as Session, 'rollback'),
    async releaseConnection(session) {
      // The rollback may have failed as well.
      if ((session as Session).unlock) end(session as Session)
    },
    async destroy() {
      connection.close()
    },
  }
}

function execute<R>(statement: Statement, parameters: readonly unknown[], meter: ReadMeter | undefined): QueryResult<R> {
  if (statement.reader && meter && !statement.isWrite) return { rows: statement.allMetered(parameters, meter) as R[] }
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] }
}

/** Longer than any transaction: a process that locks the file for longer is stuck. */
const patience_ms = 30_000

/**
 * Retries for processes that don't share the lock: `gitstead admin`, or the shell of the machine's SSH server. Awaits `ready` before each
 * attempt.
 */
async function retryWhileBusy<T>(work: () => T, ready: () => Promise<void> = async () => {}): Promise<T> {
  const since = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = /^SQLITE_BUSY/.test((error as { code?: string }).code ?? '')
      if (!isBusy || performance.now() - since > patience_ms) throw error
    }
    await setTimeout(5 + Math.random() * 15)
    await ready()
  }
}
