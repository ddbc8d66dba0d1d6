/** Records what is read from an embedded database during some work, so that its result can be kept until one of these tables is written. */
import { AsyncLocalStorage } from 'node:async_hooks'

const underWay = new AsyncLocalStorage<Set<string>>()

/** Called with the text of each statement that reads, and of each whose rows were kept. */
export function noteRead(statement: string): void {
  underWay.getStore()?.add(statement)
}

/** For a cached value: whoever uses it depends on everything that was read to compute it. */
export function noteReads(statements: ReadonlySet<string>): void {
  const reads = underWay.getStore()
  if (reads) for (const statement of statements) reads.add(statement)
}

/** Runs the work; returns its result and the texts of all statements that it read. An enclosing recording gets them as well. */
export async function recordReads<T>(work: () => Promise<T>): Promise<{ result: T; statements: ReadonlySet<string> }> {
  const statements = new Set<string>()
  const result = await underWay.run(statements, work)
  noteReads(statements)
  return { result, statements }
}
