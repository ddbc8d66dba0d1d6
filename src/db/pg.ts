/** The client of PostgreSQL, loaded when it is first wanted: that takes 40 ms and 4 MB, which nobody on SQLite needs. */
import { createRequire } from 'node:module'
import type pg from 'pg'

const load = createRequire(import.meta.url)

export function loadPg(): typeof pg {
  return load('pg') as typeof pg
}
