/**
 * On PostgreSQL, counts apart what is written to rows that are there already, for lists that no new row can change; and whom something is
 * assigned to, so that a new issue leaves them.
 */
import { type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

/** Counters whose triggers change here or are new, with the events of each table, as 0033 has them. */
const apart: Record<string, Record<string, 'all' | 'old'>> = {
  issue_people: { issue_assignees: 'all' },
  merge_request_people: { merge_request_assignees: 'all', merge_request_reviewers: 'all' },
  old_issues: { issues: 'old' },
  old_merge_requests: { merge_requests: 'old' },
  old_notes: { notes: 'old' },
}

export const writesToOldRows: Migration = {
  async up(db) {
    if (capabilitiesOf(db).changes) return
    for (const [counter, tables] of Object.entries(apart)) {
      const sequence = `writes_to_${counter}`
      await sql`create sequence ${sql.ref(sequence)}`.execute(db)
      await sql`select nextval(${sequence}::regclass)`.execute(db)
      for (const [table, events] of Object.entries(tables)) {
        const isOld = events === 'old'
        if (!isOld) await sql.raw(`drop trigger ${table}_written on ${table}`).execute(db)
        const [name, when] = isOld
          ? [`${table}_changed`, `delete or ${await updateOf(table)}`]
          : [`${table}_written`, 'insert or delete or update']
        await sql
          .raw(`create trigger ${name} after ${when} on ${table} for each statement execute function count_write('${sequence}')`)
          .execute(db)
      }
    }
    const { rows } = await sql<{ source: string }>`select prosrc as source from pg_proc
      where proname = 'written_so_far' and pronamespace = current_schema()::regnamespace`.execute(db)
    const source = rows[0]?.source ?? ''
    const added = Object.keys(apart).map((counter) => `, (select last_value from writes_to_${counter})`)
    await sql
      .raw(`create or replace function written_so_far(out numbers text, out snapshot text, out is_quiet boolean) language plpgsql
        as $$${source.replace(') into numbers', `${added.join('')}) into numbers`)}$$`)
      .execute(db)

    /** `update of …`, by the columns whose changes count already. */
    async function updateOf(table: string): Promise<string> {
      const { rows: watched } = await sql<{ name: string }>`select attname as name from pg_trigger, pg_attribute
        where tgname = ${`${table}_written`} and tgrelid = ${table}::regclass and attrelid = tgrelid
          and attnum = any (tgattr::int2[])`.execute(db)
      return watched.length === 0 ? 'update' : `update of ${watched.map(({ name }) => name).join(', ')}`
    }
  },
}
