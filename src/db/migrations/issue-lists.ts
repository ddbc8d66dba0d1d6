/**
 * Makes lists of issues and merge requests fast: indexes in their orders, trigram indexes of texts, and counts maintained by triggers. Part
 * of 0026 and 0027.
 */
import { type Kysely, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { required } from './columns.ts'

interface Listed {
  table: 'issues' | 'merge_requests'
  /** The table of the counts, by project and these columns. */
  counts: string
  counted: Array<{ name: string; type: 'text' | 'boolean' }>
  /** Columns that most filters use: they are in the indexes of the orders, so that counting reads no rows. */
  filtered: string[]
}

const listedIssues: Listed = {
  table: 'issues',
  counts: 'issue_counts',
  counted: [
    { name: 'state', type: 'text' },
    { name: 'confidential', type: 'boolean' },
  ],
  filtered: ['id', 'state', 'confidential', 'author_id', 'milestone_id', 'project_id'],
}

const listedMergeRequests: Listed = {
  table: 'merge_requests',
  counts: 'merge_request_counts',
  counted: [{ name: 'state', type: 'text' }],
  filtered: ['id', 'state', 'author_id', 'milestone_id', 'project_id'],
}

export async function createIssueLists(db: Kysely<unknown>): Promise<void> {
  await createLists(db, listedIssues)
  await db.schema.createIndex('labels_by_title').on('labels').column('title').execute()
  await db.schema.createIndex('milestones_by_title').on('milestones').column('title').execute()
}

export async function createMergeRequestLists(db: Kysely<unknown>): Promise<void> {
  await createLists(db, listedMergeRequests)
}

async function createLists(db: Kysely<unknown>, listed: Listed): Promise<void> {
  const { hasTrigramIndexes, appendsCounts } = capabilitiesOf(db)
  await createOrders(db, listed)
  await (hasTrigramIndexes ? createTrigramIndexes(db, listed) : createTrigrams(db, listed))
  await createCounts(db, listed, appendsCounts)
}

/** Indexes by instant: per project, per author, and over all. */
async function createOrders(db: Kysely<unknown>, { table, filtered }: Listed): Promise<void> {
  for (const instant of ['created_at', 'updated_at']) {
    for (const [of, first] of [
      ['of_project_', 'project_id'],
      ['of_author_', 'author_id'],
      ['', instant],
    ] as const) {
      const columns = [...new Set([first, instant, ...filtered])]
      await db.schema.createIndex(`${table}_${of}by_${instant}`).on(table).columns(columns).execute()
    }
  }
}

/**
 * A trigram table maintained by triggers. It holds no text, only positions. The place is three characters that are unique to a project, so
 * that a search in one project doesn't read entries of others.
 */
async function createTrigrams(db: Kysely<unknown>, { table }: Listed): Promise<void> {
  const index = `${table}_search`
  const place = (row: string) =>
    `char(19968 + ${row}.project_id % 20000, 19968 + ${row}.project_id / 20000 % 20000, 19968 + ${row}.project_id / 400000000)`
  const add = `insert into "${index}" (rowid, place, title, description) values (new.id, ${place('new')}, new.title, new.description);`
  const remove = `delete from "${index}" where rowid = old.id;`
  const hasChanged = ['id', 'project_id', 'title', 'description'].map((column) => `old.${column} is not new.${column}`).join(' or ')
  for (const statement of [
    `create virtual table ${index} using fts5(place, title, description, content = '', contentless_delete = 1, tokenize = 'trigram')`,
    `create trigger ${index}_insert after insert on ${table} begin ${add} end`,
    `create trigger ${index}_delete after delete on ${table} begin ${remove} end`,
    `create trigger ${index}_update after update of id, project_id, title, description on ${table} when ${hasChanged} begin ${remove} ${add} end`,
  ])
    await sql.raw(statement).execute(db)
}

/** If the extension is missing, or this role may not create it, a search reads each row. */
async function createTrigramIndexes(db: Kysely<unknown>, { table }: Listed): Promise<void> {
  const indexes = ['title', 'description'].map(
    (column) => `create index ${table}_search_${column} on ${table} using gin (lower(${column}) gin_trgm_ops);`,
  )
  await sql`do $$ begin
    create extension if not exists pg_trgm;
    ${sql.raw(indexes.join('\n    '))}
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then null;
  end $$`.execute(db)
}

/**
 * The number of rows of each project by the values of some columns. On SQLite there is one row for each; on PostgreSQL each statement adds
 * rows, so that transactions don't wait for each other, and a job folds them (`foldCounts` in db/list-counts.ts).
 */
async function createCounts(db: Kysely<unknown>, listed: Listed, appendsCounts: boolean): Promise<void> {
  const { counts, counted } = listed
  const columns = ['project_id', ...counted.map(({ name }) => name)]
  let table = db.schema.createTable(counts).addColumn('project_id', 'bigint', required)
  for (const { name, type } of counted) table = table.addColumn(name, type, required)
  const numbered = table.addColumn('number', 'bigint', required)
  await (appendsCounts ? numbered : numbered.addPrimaryKeyConstraint(`${counts}_key`, columns as never[])).execute()
  if (appendsCounts) await sql`create index ${sql.raw(`${counts}_by_project on ${counts} (${columns.join(', ')}, number)`)}`.execute(db)
  for (const statement of (appendsCounts ? postgresTriggers : sqliteTriggers)(listed, columns)) await sql.raw(statement).execute(db)
}

const columnsOf = (row: string, columns: string[]) => columns.map((column) => `${row}.${column}`).join(', ')

function sqliteTriggers({ table, counts }: Listed, columns: string[]): string[] {
  const [old, added] = [columnsOf('old', columns), columnsOf('new', columns)]
  const add = `insert into "${counts}" (${columns.join(', ')}, number) values (${added}, 1)
    on conflict (${columns.join(', ')}) do update set number = number + 1;`
  const remove = `update "${counts}" set number = number - 1 where (${columns.join(', ')}) = (${old});`
  return [
    `create trigger ${table}_counted_insert after insert on ${table} begin ${add} end`,
    `create trigger ${table}_counted_delete after delete on ${table} begin ${remove} end`,
    `create trigger ${table}_counted_update after update of ${columns.join(', ')} on ${table}
      when (${old}) is not (${added}) begin ${remove} ${add} end`,
  ]
}

function postgresTriggers({ table, counts }: Listed, columns: string[]): string[] {
  const [old, added] = [columnsOf('old', columns), columnsOf('new', columns)]
  const into = `insert into ${counts} (${columns.join(', ')}, number)`
  const sums = (rows: 'added' | 'removed', sign: string) => `
    create function ${table}_count_${rows}() returns trigger language plpgsql as $$ begin
      ${into} select ${columns.join(', ')}, ${sign}count(*) from ${rows} group by ${columns.join(', ')};
      return null;
    end $$`
  return [
    sums('added', ''),
    sums('removed', '-'),
    `create function ${table}_count_changed() returns trigger language plpgsql as $$ begin
      ${into} values (${old}, -1), (${added}, 1);
      return null;
    end $$`,
    `create trigger ${table}_counted_insert after insert on ${table} referencing new table as added
      for each statement execute function ${table}_count_added()`,
    `create trigger ${table}_counted_delete after delete on ${table} referencing old table as removed
      for each statement execute function ${table}_count_removed()`,
    `create trigger ${table}_counted_update after update of ${columns.join(', ')} on ${table} for each row
      when ((${old}) is distinct from (${added})) execute function ${table}_count_changed()`,
  ]
}
