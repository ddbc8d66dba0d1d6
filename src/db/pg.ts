/** The PostgreSQL client, loaded at first use: it takes 40 ms and 4 MB, which servers on SQLite save. */
import { createRequire } from 'node:module'
import type pg from 'pg'

const load = createRequire(import.meta.url)

export function loadPg(): typeof pg {
  return load('pg') as typeof pg
}
