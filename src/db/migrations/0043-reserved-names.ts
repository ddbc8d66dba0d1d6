/** Names that read as addresses of files, such as `ada.keys`, are renamed by a job: hooks tell of it, and earlier paths lead on. */
import { type Migration, sql } from 'kysely'

export const reservedNames: Migration = {
  async up(db) {
    const at = new Date().toISOString()
    await sql`insert into jobs (name, payload, state, run_at, attempts, unique_key, created_at)
      values ('namespaces.rename_reserved', '{}', 'ready', ${at}, 0, 'once namespaces.rename_reserved', ${at})`.execute(db)
  },
}
