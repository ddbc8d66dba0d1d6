/** Adds a job that once repairs repositories that a power failure damaged under an earlier version. */
import { type Migration, sql } from 'kysely'

export const repairs: Migration = {
  async up(db) {
    const at = new Date().toISOString()
    await sql`insert into jobs (name, payload, state, run_at, attempts, unique_key, created_at)
      values ('projects.repair_repositories', '{}', 'ready', ${at}, 0, 'once projects.repair_repositories', ${at})`.execute(db)
  },
}
