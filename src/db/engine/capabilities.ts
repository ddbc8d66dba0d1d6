/**
 * Capabilities of the database engines, as properties of one value: code that depends on the engine asks for a capability, not for a name.
 */
import type { DialectAdapter, QueryExecutorProvider, RawBuilder } from 'kysely'

/** Notices every write to the database without running a statement. */
export interface WriteStamps {
  /**
   * A number that stays the same until one of these names is written (without `names`, anything at all). Null inside a transaction, which
   * may be rolled back. Unknown names are ignored.
   * @param names from `tablesIn`
   */
  stamp: (names?: string[]) => number | null
  /** The names in a statement: tables, columns as `table.column`, and new rows as `table.+`. These cover everything it reads. */
  tablesIn: (statement: string) => string[]
}

export interface Capabilities {
  /** Transactions run concurrently and lock rows. Without it, a writing transaction has the database to itself from its beginning. */
  locksRows: boolean
  /** Null if the database must be asked what was written. */
  changes: WriteStamps | null
  /** A statement can take an array as a value, for `= any(…)`. Without it, arrays are passed as text to `json_each`. */
  hasArrays: boolean
  /** Indexes find parts of words. Without it, triggers maintain a table for that. */
  hasTrigramIndexes: boolean
  /** Counting triggers add a row per change, so that no writer waits for another; `foldCounts` sums them up. */
  appendsCounts: boolean
  /** Constraints of a table can be added and dropped. Without it, the table is rebuilt. */
  altersConstraints: boolean
  /** Text is compared byte by byte, unless the column says otherwise. */
  comparesBytes: boolean
  /** Ids come from a sequence of the column. Without it, they come from the table `sqlite_sequence`. */
  hasIdentityColumns: boolean
  hasInformationSchema: boolean
  /** Foreign keys can be checked at the end of a transaction, although they were declared to be checked immediately. */
  defersForeignKeys: boolean
  /** The driver reads row by row, and stops when the meter of a statement says so. */
  metersStatements: boolean
  bytesType: 'blob' | 'bytea'
  /** The values of a column in all rows of a group, as the text of a JSON array. */
  jsonArray: (column: RawBuilder<unknown>) => RawBuilder<string>
}

/** The adapter of each dialect has them. */
export interface CapableAdapter extends DialectAdapter {
  readonly capabilities: Capabilities
}

export function capabilitiesOf(db: QueryExecutorProvider): Capabilities {
  return (db.getExecutor().adapter as CapableAdapter).capabilities
}
