/**
 * On PostgreSQL, lets totals of events continue from the previous count: a trigger counts writes to old events, and the state of the
 * database includes the last id that was drawn for a new one. A transaction gets its number before it draws an id, so while no transaction
 * is open, no event with this id or a lower one can appear any more.
 */
import { type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

export const settledEvents: Migration = {
  async up(db) {
    if (capabilitiesOf(db).changes) return
    await sql`create sequence writes_to_old_events`.execute(db)
    await sql`select nextval('writes_to_old_events'::regclass)`.execute(db)
    await sql`create trigger events_changed after delete or update on events
      for each statement execute function count_write('writes_to_old_events')`.execute(db)
    await sql`create function number_transaction() returns trigger language plpgsql as $$ begin
      perform pg_current_xact_id();
      return null;
    end $$`.execute(db)
    await sql`create trigger events_numbered before insert on events for each statement execute function number_transaction()`.execute(db)
    const { rows } = await sql<{ source: string }>`select prosrc as source from pg_proc
      where proname = 'written_so_far' and pronamespace = current_schema()::regnamespace`.execute(db)
    const lastId = '(select case when is_called then last_value else last_value - 1 end from events_id_seq)'
    const source = rows[0]?.source.replace(') into numbers', `, (select last_value from writes_to_old_events), ${lastId}) into numbers`)
    await sql
      .raw(`create or replace function written_so_far(out numbers text, out snapshot text, out is_quiet boolean) language plpgsql
        as $$${source}$$`)
      .execute(db)
  },
}
