/**
 * Statements whose plan each connection to PostgreSQL keeps, as prepared statements: planning a query about access takes ten times as
 * long as running it. The plan is the same for all values, so only for queries by keys; and each costs the server up to a megabyte
 * for each connection, so only for a few texts.
 */
import { createHash } from 'node:crypto'

const names = new Map<string, string>()

/** From now on the plan of the statement is kept. */
export function keepPlan(sql: string): void {
  // Every process gives the same text the same name: behind a pooler they may share a connection.
  if (!names.has(sql)) names.set(sql, `gitstead_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`)
}

/** The name under which connections prepare the statement; undefined for those that are planned each time. */
export function preparedName(sql: string): string | undefined {
  return names.get(sql)
}

/** Whether the URL of the database allows prepared statements: poolers that change the connection between transactions don't. */
export function allowsPrepared(url: string): boolean {
  return !/[?&]prepared_statements=false(&|$)/.test(url)
}
