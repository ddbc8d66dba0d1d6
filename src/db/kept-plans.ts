/**
 * Statements whose plan each PostgreSQL connection keeps, as prepared statements: planning a query about access takes ten times as long as
 * running it. The plan is the same for all values, so this only suits queries by keys; and each costs the server up to a megabyte per
 * connection, so it only suits a few statements.
 */
import { createHash } from 'node:crypto'

const names = new Map<string, string>()

/** Marks the statement to be prepared from now on. */
export function keepPlan(sql: string): void {
  // All processes derive the same name from the same text: behind a pooler they may share a connection.
  if (!names.has(sql)) names.set(sql, `gitstead_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`)
}

/** The name under which connections prepare the statement; undefined for statements that are planned each time. */
export function preparedName(sql: string): string | undefined {
  return names.get(sql)
}

/** Whether the URL of the database allows prepared statements. Poolers that switch the connection between transactions don't. */
export function allowsPrepared(url: string): boolean {
  return !/[?&]prepared_statements=false(&|$)/.test(url)
}
