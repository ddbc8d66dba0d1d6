/** Keeps lists of 100,000 rows fast after a write: totals maintained by triggers, and covering indexes for the orders of lists. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { required } from './columns.ts'

export const listCounts: Migration = {
  async up(db) {
    await createCounts(db)
    for (const order of orders) {
      await db.schema.dropIndex(`projects_${order}`).execute()
      await db.schema.createIndex(`projects_${order}`).on('projects').columns([order, 'id', 'visibility', 'namespace_id']).execute()
    }
    await db.schema.dropIndex('namespaces_groups').execute()
    await db.schema
      .createIndex('namespaces_groups')
      .on('namespaces')
      .columns(['name', 'id', 'visibility'])
      .where(sql.ref('kind'), '=', sql.lit('group'))
      .execute()
    await db.schema.createIndex('users_listed').on('users').columns(['external', 'id', 'state', 'kind']).execute()
    await db.schema.createIndex('users_by_state').on('users').columns(['state', 'id', 'external', 'kind']).execute()
  },
}

const orders = ['created_at', 'last_activity_at', 'name', 'path', 'updated_at']

interface Counted {
  table: string
  /** The columns that make up the value by which rows are counted. */
  columns: string[]
  value: (row: string) => string
  /** Condition for the rows that count; `row` is `new` or `old`. */
  only?: (row: string) => string
}

const counted: Counted[] = [
  { table: 'projects', columns: ['visibility'], value: (row) => `${row}.visibility` },
  { table: 'namespaces', columns: ['visibility'], value: (row) => `${row}.visibility`, only: (row) => `${row}.kind = 'group'` },
  {
    table: 'users',
    columns: ['state', 'kind', 'external'],
    value: (row) => `(${row}.state || ' ' || ${row}.kind || case when ${row}.external then ' external' else '' end)`,
  },
]

/**
 * On SQLite there is one row per value. On PostgreSQL each statement adds rows, so that transactions don't wait for each other; a job folds
 * them (`foldCounts` in db/list-counts.ts).
 */
async function createCounts(db: Kysely<unknown>): Promise<void> {
  const { appendsCounts } = capabilitiesOf(db)
  await db.schema
    .createTable('list_counts')
    .addColumn('list', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('number', 'bigint', required)
    .$call((table) => (appendsCounts ? table : table.addPrimaryKeyConstraint('list_counts_key', ['list', 'value'])))
    .execute()
  for (const one of counted) {
    await sql.raw(`insert into list_counts (list, value, number) ${countsIn(one, one.table, '')}`).execute(db)
    for (const statement of appendsCounts ? postgresTriggers(one) : sqliteTriggers(one)) await sql.raw(statement).execute(db)
  }
}

/** Selects the rows for the table of counts. */
function countsIn({ table, value, only }: Counted, rows: string, sign: string): string {
  return `select '${table}', ${value(rows)}, ${sign}count(*) from ${rows} ${only ? `where ${only(rows)}` : ''} group by ${value(rows)}`
}

function sqliteTriggers({ table, columns, value, only }: Counted): string[] {
  const add = `insert into "list_counts" (list, value, number) values ('${table}', ${value('new')}, 1)
    on conflict (list, value) do update set number = number + 1;`
  const remove = `update "list_counts" set number = number - 1 where list = '${table}' and value = ${value('old')};`
  const when = (row: string, more = '') => (only ? `when ${only(row)} ${more && `and ${more}`}` : more && `when ${more}`)
  return [
    `create trigger ${table}_counted_insert after insert on ${table} ${when('new')} begin ${add} end`,
    `create trigger ${table}_counted_delete after delete on ${table} ${when('old')} begin ${remove} end`,
    `create trigger ${table}_counted_update after update of ${columns.join(', ')} on ${table}
      ${when('new', `${value('old')} is not ${value('new')}`)}
      begin ${remove} ${add} end`,
  ]
}

function postgresTriggers(counted: Counted): string[] {
  const { table, columns, value, only } = counted
  const sums = (rows: 'added' | 'removed', sign: string) => `
    create function ${table}_count_${rows}() returns trigger language plpgsql as $$ begin
      insert into list_counts (list, value, number) ${countsIn(counted, rows, sign)};
      return null;
    end $$`
  return [
    sums('added', ''),
    sums('removed', '-'),
    `create function ${table}_count_changed() returns trigger language plpgsql as $$ begin
      insert into list_counts (list, value, number) values ('${table}', ${value('old')}, -1), ('${table}', ${value('new')}, 1);
      return null;
    end $$`,
    `create trigger ${table}_counted_insert after insert on ${table} referencing new table as added
      for each statement execute function ${table}_count_added()`,
    `create trigger ${table}_counted_delete after delete on ${table} referencing old table as removed
      for each statement execute function ${table}_count_removed()`,
    `create trigger ${table}_counted_update after update of ${columns.join(', ')} on ${table} for each row
      when (${value('old')} is distinct from ${value('new')}${only ? ` and ${only('new')}` : ''}) execute function ${table}_count_changed()`,
  ]
}
