/** Queries so hot that compiling them (about 20 µs) would cost more than running them. */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './database.ts'

class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/**
 * Builds and compiles a query once for each engine, and runs it with other arguments ever after.
 * `build` must use its arguments as values only, never to decide what the query is.
 */
export function prepared<A extends unknown[], R>(build: (db: Db, ...args: A) => Compilable<R>): (db: Db, ...args: A) => Promise<R[]> {
  const compiled = new Map<string, CompiledQuery<R>>()
  return async (db, ...args) => {
    const engine = db.getExecutor().adapter.constructor.name
    let query = compiled.get(engine)
    if (!query) {
      query = build(db, ...(args.map((_, index) => new Placeholder(index)) as unknown as A)).compile()
      compiled.set(engine, query)
    }
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? args[value.index] : value))
    return (await db.executeQuery<R>({ ...query, parameters })).rows
  }
}
