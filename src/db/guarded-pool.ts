/** Guards the pool of PostgreSQL connections: a lost connection fails its statement, and nothing else. */
import type { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { databaseUnavailable } from '../failure.ts'
import { ReadLimitReached, type ReadMeter } from '../limits/read-meter.ts'
import { preparedName } from './kept-plans.ts'
import { meterUnderWay } from './metered-database.ts'
import { loadPg } from './pg.ts'

export interface GuardOptions {
  /** Called once for each lost connection. */
  onLost?: ((error: Error) => void) | undefined
  /** Whether named prepared statements may be used. */
  prepares?: boolean
  /** When a statement has had no answer for this long, the guard probes the server over another connection. */
  suspicious_ms?: number
  /** Interval of the checks, and timeout of the probe. */
  probe_ms?: number
}

interface Connection {
  client: pg.PoolClient
  guarded: PostgresPoolClient
  /** When the statement under way was sent, in milliseconds since the epoch. */
  sent_at: number | null
}

/** Unanswered probes in a row after which the server counts as lost. */
const maxSilences = 2
/** Timeout when stopping: a server that vanished never confirms the end of a connection. */
const end_ms = 3_000

/**
 * Handles errors of every connection, idle or in use: without a listener, one would end the process. Lost connections become
 * `database_unavailable`. Statements have no timeout of their own; those on a server that stopped answering (a suspended process, a machine
 * without power) fail within half a minute.
 */
export function guardPool(pool: pg.Pool, config: pg.ClientConfig, options: GuardOptions = {}): PostgresPool {
  const { onLost = () => {}, prepares = true, suspicious_ms = 10_000, probe_ms = 5_000 } = options
  const connections = new Map<pg.PoolClient, Connection>()
  // The errors are handled per connection, below.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    connections.set(client, guard(client, prepares))
    client.once('error', onLost)
  })
  pool.on('remove', (client) => connections.delete(client))
  const stopWatching = watchForSilence(config, { suspicious_ms, probe_ms }, () => [...connections.values()])
  return {
    async connect() {
      try {
        const client = await pool.connect()
        return (connections.get(client) ?? guard(client, prepares)).guarded
      } catch (error) {
        throw databaseUnavailable(error)
      }
    },
    async end() {
      stopWatching()
      const all = [...connections.values()]
      const late = setTimeout(() => all.forEach(cut), end_ms).unref()
      await pool.end()
      await Promise.all(all.map(({ client }) => hasEnded(client)))
      clearTimeout(late)
    },
  }
}

function guard(client: pg.PoolClient, prepares: boolean): Connection {
  let broken = false
  client.on('error', () => {
    broken = true
  })
  const query = async <R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>> => {
    // The server rolled back when the connection was lost; a failure here would hide the first error.
    if (broken && sql === 'rollback') return nothing
    connection.sent_at = Date.now()
    try {
      const name = prepares ? preparedName(sql) : undefined
      const meter = meterUnderWay.getStore()
      const types = meter && meteredTypes(client, meter)
      const result = await client.query({ ...(name && { name }), text: sql, values: [...parameters], ...(types && { types }) })
      // PostgreSQL answers a commit after a failed statement with a rollback.
      if (sql === 'commit' && result.command === 'ROLLBACK') throw new Error('a transaction with a failed statement was rolled back')
      return result as PostgresQueryResult<R>
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      broken = true
      if (sql === 'rollback') return nothing
      throw databaseUnavailable(error)
    } finally {
      connection.sent_at = null
    }
  }
  // A lost connection is closed instead of reused.
  const guarded = { query, release: () => client.release(broken) } as PostgresPoolClient
  const connection: Connection = { client, guarded, sent_at: null }
  return connection
}

/** Type parsers of the connection that count what they parse: once one throws, the client keeps no more rows of the result. */
function meteredTypes(client: pg.PoolClient, meter: ReadMeter): pg.CustomTypesConfig {
  return {
    getTypeParser(oid: number, format: 'text' | 'binary' = 'text') {
      const parse = client.getTypeParser(oid, format) as (value: string) => unknown
      return (value: string) => {
        meter.take(value.length)
        return parse(value)
      }
    },
  } as pg.CustomTypesConfig
}

const nothing: PostgresQueryResult<never> = { command: 'ROLLBACK' as never, rowCount: 0, rows: [] }

/**
 * SQLSTATEs of a server that shuts down, starts up, or accepts no connections:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const lostStates = /^(08...|57P01|57P02|57P03|57P05|53300)$/

/** Whether the connection or its server failed, not the statement. */
function isConnectionLoss(error: unknown): boolean {
  if (error instanceof ReadLimitReached) return false
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (error instanceof loadPg().DatabaseError) return lostStates.test(code)
  return /^E[A-Z_]+$/.test(code) || /connection|timeout/i.test(message)
}

/** Closes connections that have waited too long for an answer, if the server doesn't answer new connections either. */
function watchForSilence(
  config: pg.ClientConfig,
  { suspicious_ms, probe_ms }: { suspicious_ms: number; probe_ms: number },
  all: () => Connection[],
): () => void {
  let silences = 0
  let asking = false
  async function look(): Promise<void> {
    const since = Date.now() - suspicious_ms
    const overdue = () => all().filter(({ sent_at }) => sent_at !== null && sent_at < since)
    if (asking || overdue().length === 0) return
    asking = true
    silences = (await answers({ ...config, connectionTimeoutMillis: probe_ms })) ? 0 : silences + 1
    asking = false
    if (silences < maxSilences) return
    silences = 0
    overdue().forEach(cut)
  }
  const timer = setInterval(() => void look(), probe_ms)
  timer.unref()
  return () => clearInterval(timer)
}

/** Whether the server answers a new connection, even by rejecting it. */
async function answers(config: pg.ClientConfig): Promise<boolean> {
  const client = new (loadPg().Client)(config)
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof loadPg().DatabaseError
  } finally {
    streamOf(client).destroy()
  }
}

function cut({ client }: Connection): void {
  streamOf(client).destroy(new Error('the connection got no answer'))
}

function hasEnded(client: pg.PoolClient): Promise<unknown> {
  const stream = streamOf(client)
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve))
}

/** Missing in the types of the library. */
function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
