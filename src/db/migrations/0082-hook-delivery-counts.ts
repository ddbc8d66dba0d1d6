/** How many deliveries each webhook has among each few thousand ids, so that a log of millions is neither counted nor passed over. */
import { type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { required } from './columns.ts'

/** Ids of one block. Written again in `deliveries/log.queries.ts`: it can not be changed. */
const ids = 4_096

/**
 * On SQLite there is one row per hook and block. On PostgreSQL each statement adds rows, so that transactions don't wait for each other; a
 * job folds them (`foldCounts` in db/list-counts.ts).
 */
export const hookDeliveryCounts: Migration = {
  async up(db) {
    const { appendsCounts } = capabilitiesOf(db)
    const key = ['hook_id', 'block']
    const table = db.schema
      .createTable('hook_delivery_counts')
      .addColumn('hook_id', 'bigint', required)
      .addColumn('block', 'bigint', required)
      .addColumn('number', 'bigint', required)
    await (appendsCounts ? table : table.addPrimaryKeyConstraint('hook_delivery_counts_key', key as never[])).execute()
    if (appendsCounts)
      await db.schema
        .createIndex('hook_delivery_counts_by_hook')
        .on('hook_delivery_counts')
        .columns([...key, 'number'])
        .execute()
    await sql.raw(`insert into hook_delivery_counts (hook_id, block, number) ${countsIn('hook_deliveries', '')}`).execute(db)
    for (const statement of appendsCounts ? postgresTriggers() : sqliteTriggers()) await sql.raw(statement).execute(db)
  },
}

function countsIn(rows: string, sign: string): string {
  return `select hook_id, id / ${ids}, ${sign}count(*) from ${rows} group by hook_id, id / ${ids}`
}

function sqliteTriggers(): string[] {
  const these = `hook_id = old.hook_id and block = old.id / ${ids}`
  return [
    `create trigger hook_deliveries_counted_insert after insert on hook_deliveries begin
      insert into "hook_delivery_counts" (hook_id, block, number) values (new.hook_id, new.id / ${ids}, 1)
        on conflict (hook_id, block) do update set number = number + 1;
    end`,
    `create trigger hook_deliveries_counted_delete after delete on hook_deliveries begin
      update "hook_delivery_counts" set number = number - 1 where ${these};
      delete from "hook_delivery_counts" where ${these} and number = 0;
    end`,
  ]
}

function postgresTriggers(): string[] {
  const trigger = (event: 'insert' | 'delete', rows: string, sign: string) => [
    `create function hook_deliveries_count_${rows}() returns trigger language plpgsql as $$ begin
      insert into hook_delivery_counts (hook_id, block, number) ${countsIn(rows, sign)};
      return null;
    end $$`,
    `create trigger hook_deliveries_counted_${event} after ${event} on hook_deliveries
      referencing ${event === 'insert' ? 'new' : 'old'} table as ${rows}
      for each statement execute function hook_deliveries_count_${rows}()`,
  ]
  return [...trigger('insert', 'added', ''), ...trigger('delete', 'removed', '-')]
}
