/** Counts of notes exclude internal notes, since everyone who sees the issue or merge request sees the count. */
import { type Migration, sql } from 'kysely'

export const publicNoteCounts: Migration = {
  async up(db) {
    for (const [table, column] of [
      ['issues', 'issue_id'],
      ['merge_requests', 'merge_request_id'],
    ] as const) {
      const internal = sql`from notes where notes.${sql.ref(column)} = ${sql.ref(`${table}.id`)}
        and notes.internal = ${sql.lit(true)} and notes.system = ${sql.lit(false)}`
      await sql`update ${sql.table(table)} set user_notes_count = user_notes_count - (select count(*) ${internal})
        where id in (select ${sql.ref(column)} from notes where internal = ${sql.lit(true)})`.execute(db)
    }
  },
}
