/** Capabilities of the engines, as properties of one value: code that depends on the engine asks for one of these, not for its name. */
import type { DialectAdapter, QueryExecutorProvider, RawBuilder } from 'kysely'

/** Notices every write to the database, without a statement. */
export interface WriteStamps {
  /**
   * The same number as long as nothing of this was written, or without `names`, nothing at all; null inside a transaction, which may
   * be rolled back. Unknown names are ignored.
   * @param names from `tablesIn`
   */
  stamp: (names?: string[]) => number | null
  /** The tables that a statement names, as `table.column` those columns of them, and as `table.+` their new rows; these include all that it reads. */
  tablesIn: (statement: string) => string[]
}

export interface Capabilities {
  /** Transactions go on beside each other, and lock rows. Without it one that writes has the database to itself from its start. */
  locksRows: boolean
  /** Null where the database must be asked what was written. */
  changes: WriteStamps | null
  /** An array is a value of a statement, for `= any(…)`. Without it it is text for `json_each`. */
  hasArrays: boolean
  /** Indexes find parts of words in a text. Without it triggers fill a table that does. */
  hasTrigramIndexes: boolean
  /** Triggers that count add a row for each change, so that no writer waits for another; `foldCounts` sums them. */
  appendsCounts: boolean
  /** A table can get and lose constraints. Without it it is made anew. */
  altersConstraints: boolean
  /** Text is compared byte by byte, unless the column says otherwise. */
  comparesBytes: boolean
  /** Ids come from a sequence of the column. Without it they do from the table `sqlite_sequence`. */
  hasIdentityColumns: boolean
  hasInformationSchema: boolean
  /** References can be checked at the end of a transaction, though they were declared to be checked at once. */
  defersForeignKeys: boolean
  /** The driver reads row by row, and stops where the meter of a statement does. */
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
