/** What makes lists of issues quick: indexes in their orders, of every three letters of texts, and counts kept by triggers. Part of 0026. */
import { type Kysely, SqliteAdapter, sql } from 'kysely'
import { required } from './columns.ts'

export async function createIssueLists(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
  await createOrders(db)
  await (isSqlite ? createTrigrams(db) : createTrigramIndexes(db))
  await createCounts(db, isSqlite)
}

/** Of a project, of an author, or over all, by an instant. They hold what most filters ask for, so that counting reads no issue. */
async function createOrders(db: Kysely<unknown>): Promise<void> {
  const rest = ['id', 'state', 'confidential', 'author_id', 'milestone_id', 'project_id']
  for (const instant of ['created_at', 'updated_at']) {
    for (const [of, first] of [
      ['of_project_', 'project_id'],
      ['of_author_', 'author_id'],
      ['', instant],
    ] as const) {
      const columns = [...new Set([first, instant, ...rest])]
      await db.schema.createIndex(`issues_${of}by_${instant}`).on('issues').columns(columns).execute()
    }
  }
  // Boards show their lists in this order.
  await db.schema.createIndex('issues_of_project_by_position').on('issues').columns(['project_id', 'relative_position', 'id']).execute()
  await db.schema.createIndex('labels_by_title').on('labels').column('title').execute()
  await db.schema.createIndex('milestones_by_title').on('milestones').column('title').execute()
}

/**
 * A table beside the issues, kept by triggers. It holds no text, only where to find it. The place is three characters that no other
 * project has: those who look in one project don't pass over what others have.
 */
async function createTrigrams(db: Kysely<unknown>): Promise<void> {
  const place = (row: string) =>
    `char(19968 + ${row}.project_id % 20000, 19968 + ${row}.project_id / 20000 % 20000, 19968 + ${row}.project_id / 400000000)`
  const add = `insert into "issues_search" (rowid, place, title, description) values (new.id, ${place('new')}, new.title, new.description);`
  const remove = 'delete from "issues_search" where rowid = old.id;'
  const hasChanged = ['id', 'project_id', 'title', 'description'].map((column) => `old.${column} is not new.${column}`).join(' or ')
  for (const statement of [
    `create virtual table issues_search using fts5(place, title, description, content = '', contentless_delete = 1, tokenize = 'trigram')`,
    `create trigger issues_search_insert after insert on issues begin ${add} end`,
    `create trigger issues_search_delete after delete on issues begin ${remove} end`,
    `create trigger issues_search_update after update of id, project_id, title, description on issues when ${hasChanged} begin ${remove} ${add} end`,
  ])
    await sql.raw(statement).execute(db)
}

/** Where the extension is not to be had, or not for this role, a search looks at each issue. */
async function createTrigramIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    create extension if not exists pg_trgm;
    create index issues_search_title on issues using gin (lower(title) gin_trgm_ops);
    create index issues_search_description on issues using gin (lower(description) gin_trgm_ops);
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then null;
  end $$`.execute(db)
}

const counted = ['project_id', 'state', 'confidential']

/**
 * How many issues each project has by state and confidentiality. On SQLite one row for each; on PostgreSQL each statement adds rows, so
 * that transactions don't wait for each other, and a job folds them (`foldCounts` in db/list-counts.ts).
 */
async function createCounts(db: Kysely<unknown>, isSqlite: boolean): Promise<void> {
  await db.schema
    .createTable('issue_counts')
    .addColumn('project_id', 'bigint', required)
    .addColumn('state', 'text', required)
    .addColumn('confidential', 'boolean', required)
    .addColumn('number', 'bigint', required)
    .$call((table) => (isSqlite ? table.addPrimaryKeyConstraint('issue_counts_key', ['project_id', 'state', 'confidential']) : table))
    .execute()
  if (!isSqlite) await sql`create index issue_counts_by_project on issue_counts (project_id, state, confidential, number)`.execute(db)
  for (const statement of isSqlite ? sqliteTriggers() : postgresTriggers()) await sql.raw(statement).execute(db)
}

const columnsOf = (row: string) => counted.map((column) => `${row}.${column}`).join(', ')

function sqliteTriggers(): string[] {
  const add = `insert into "issue_counts" (${counted.join(', ')}, number) values (${columnsOf('new')}, 1)
    on conflict (${counted.join(', ')}) do update set number = number + 1;`
  const remove = `update "issue_counts" set number = number - 1 where (${counted.join(', ')}) = (${columnsOf('old')});`
  return [
    `create trigger issues_counted_insert after insert on issues begin ${add} end`,
    `create trigger issues_counted_delete after delete on issues begin ${remove} end`,
    `create trigger issues_counted_update after update of ${counted.join(', ')} on issues
      when (${columnsOf('old')}) is not (${columnsOf('new')}) begin ${remove} ${add} end`,
  ]
}

function postgresTriggers(): string[] {
  const into = `insert into issue_counts (${counted.join(', ')}, number)`
  const sums = (rows: 'added' | 'removed', sign: string) => `
    create function issues_count_${rows}() returns trigger language plpgsql as $$ begin
      ${into} select ${counted.join(', ')}, ${sign}count(*) from ${rows} group by ${counted.join(', ')};
      return null;
    end $$`
  return [
    sums('added', ''),
    sums('removed', '-'),
    `create function issues_count_changed() returns trigger language plpgsql as $$ begin
      ${into} values (${columnsOf('old')}, -1), (${columnsOf('new')}, 1);
      return null;
    end $$`,
    `create trigger issues_counted_insert after insert on issues referencing new table as added
      for each statement execute function issues_count_added()`,
    `create trigger issues_counted_delete after delete on issues referencing old table as removed
      for each statement execute function issues_count_removed()`,
    `create trigger issues_counted_update after update of ${counted.join(', ')} on issues for each row
      when ((${columnsOf('old')}) is distinct from (${columnsOf('new')})) execute function issues_count_changed()`,
  ]
}
