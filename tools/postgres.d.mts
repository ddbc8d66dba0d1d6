export interface Postgres {
  url: string
  /** Less work for the server than over the network. */
  socketUrl: string
  pid: () => number | undefined
  /** `fast` ends connections and transactions in order, `immediate` as a crash would. */
  halt: (mode: 'fast' | 'immediate') => Promise<void>
  /** Starts it again, at the same address. */
  resume: () => Promise<void>
  /** Ends it, and removes all it has. */
  stop: () => Promise<void>
}

/**
 * Starts a cluster. Null when no PostgreSQL server is installed. With `durable` a commit outlives the end of the server, as it
 * does outside of tests.
 */
export function startPostgres(options?: { durable?: boolean }): Promise<Postgres | null>
