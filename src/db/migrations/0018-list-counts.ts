/** What keeps lists of 100,000 rows quick after a write: totals that are kept, and indexes with all by which a page is chosen. */
import { type Kysely, type Migration, SqliteAdapter, sql } from 'kysely'
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
    await db.schema.createIndex('users_by_state').on('users').columns(['state', 'id']).execute()
  },
}

const orders = ['created_at', 'last_activity_at', 'name', 'path', 'updated_at']

interface Counted {
  table: string
  column: string
  /** Which rows count; `row` is new or old. */
  only?: (row: 'new' | 'old') => string
}

const counted: Counted[] = [
  { table: 'projects', column: 'visibility' },
  { table: 'namespaces', column: 'visibility', only: (row) => `${row}.kind = 'group'` },
  { table: 'users', column: 'state' },
]

/**
 * On SQLite one row for each value. On PostgreSQL each statement adds rows, so that transactions don't wait for each other; a job
 * folds them (`foldCounts` in db/list-counts.ts).
 */
async function createCounts(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
  await db.schema
    .createTable('list_counts')
    .addColumn('list', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('number', 'bigint', required)
    .$call((table) => (isSqlite ? table.addPrimaryKeyConstraint('list_counts_key', ['list', 'value']) : table))
    .execute()
  for (const one of counted) {
    const kind = one.only ? sql`where kind = 'group'` : sql``
    await sql`insert into list_counts (list, value, number)
      select ${sql.lit(one.table)}, ${sql.ref(one.column)}, count(*) from ${sql.table(one.table)} ${kind} group by ${sql.ref(one.column)}`.execute(
      db,
    )
    for (const statement of isSqlite ? sqliteTriggers(one) : postgresTriggers(one)) await sql.raw(statement).execute(db)
  }
}

function sqliteTriggers({ table, column, only }: Counted): string[] {
  const add = `insert into "list_counts" (list, value, number) values ('${table}', new.${column}, 1)
    on conflict (list, value) do update set number = number + 1;`
  const remove = `update "list_counts" set number = number - 1 where list = '${table}' and value = old.${column};`
  const when = (row: 'new' | 'old', more = '') => (only ? `when ${only(row)} ${more && `and ${more}`}` : more && `when ${more}`)
  return [
    `create trigger ${table}_counted_insert after insert on ${table} ${when('new')} begin ${add} end`,
    `create trigger ${table}_counted_delete after delete on ${table} ${when('old')} begin ${remove} end`,
    `create trigger ${table}_counted_update after update of ${column} on ${table} ${when('new', `old.${column} is not new.${column}`)}
      begin ${remove} ${add} end`,
  ]
}

function postgresTriggers({ table, column, only }: Counted): string[] {
  const sums = (rows: 'added' | 'removed', sign: string) => `
    create function ${table}_count_${rows}() returns trigger language plpgsql as $$ begin
      insert into list_counts (list, value, number)
        select '${table}', ${column}, ${sign}count(*) from ${rows} ${only ? `where kind = 'group'` : ''} group by ${column};
      return null;
    end $$`
  return [
    sums('added', ''),
    sums('removed', '-'),
    `create function ${table}_count_changed() returns trigger language plpgsql as $$ begin
      insert into list_counts (list, value, number) values ('${table}', old.${column}, -1), ('${table}', new.${column}, 1);
      return null;
    end $$`,
    `create trigger ${table}_counted_insert after insert on ${table} referencing new table as added
      for each statement execute function ${table}_count_added()`,
    `create trigger ${table}_counted_delete after delete on ${table} referencing old table as removed
      for each statement execute function ${table}_count_removed()`,
    `create trigger ${table}_counted_update after update of ${column} on ${table} for each row
      when (old.${column} is distinct from new.${column}${only ? ` and ${only('new')}` : ''}) execute function ${table}_count_changed()`,
  ]
}
