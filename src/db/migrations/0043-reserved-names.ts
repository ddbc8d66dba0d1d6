/** A job renames users and groups whose names look like files, such as `ada.keys`: hooks are called, and earlier paths redirect. */
import { type Migration, sql } from 'kysely'

export const reservedNames: Migration = {
  async up(db) {
    const at = new Date().toISOString()
    await sql`insert into jobs (name, payload, state, run_at, attempts, unique_key, created_at)
      values ('namespaces.rename_reserved', '{}', 'ready', ${at}, 0, 'once namespaces.rename_reserved', ${at})`.execute(db)
  },
}
