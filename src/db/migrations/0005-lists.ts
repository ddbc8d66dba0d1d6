/** Makes lists fast at any length: indexes in the order of lists, and trigram indexes of names. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'

export const lists: Migration = {
  async up(db) {
    // Lets the number of projects that a user sees be counted without reading the projects.
    await db.schema.createIndex('projects_visible').on('projects').columns(['namespace_id', 'visibility', 'archived']).execute()
    await db.schema.dropIndex('projects_namespace_id').execute()
    await db.schema
      .createIndex('namespaces_groups')
      .on('namespaces')
      .columns(['name', 'visibility'])
      .where(sql.ref('kind'), '=', sql.lit('group'))
      .execute()
    for (const order of ['name', 'path', 'updated_at'])
      await db.schema.createIndex(`projects_${order}`).on('projects').column(order).execute()
    const { hasTrigramIndexes } = capabilitiesOf(db)
    for (const [table, columns] of Object.entries(searched))
      await (hasTrigramIndexes ? createTrigramIndexes : createTrigrams)(db, table, columns)
  },
}

const searched = { projects: ['name', 'path', 'description'], users: ['name', 'username'] }

/** A trigram table beside the searched one, maintained by triggers. It holds no text, only positions. */
async function createTrigrams(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  const index = sql.table(`${table}_search`)
  const named = sql.join(columns.map((column) => sql.ref(column)))
  const added = sql.join(columns.map((column) => sql.ref(`new.${column}`)))
  const changed = sql.join(
    columns.map((column) => sql`${sql.ref(`old.${column}`)} is not ${sql.ref(`new.${column}`)}`),
    sql` or `,
  )
  const source = sql.table(table)
  await sql`create virtual table ${index} using fts5(${named}, content = '', contentless_delete = 1, tokenize = 'trigram')`.execute(db)
  await sql`insert into ${index} (rowid, ${named}) select id, ${named} from ${source}`.execute(db)
  const add = sql`insert into ${index} (rowid, ${named}) values (new.id, ${added});`
  const remove = sql`delete from ${index} where rowid = old.id;`
  const trigger = (event: string) => sql.id(`${table}_search_${event}`)
  await sql`create trigger ${trigger('insert')} after insert on ${source} begin ${add} end`.execute(db)
  await sql`create trigger ${trigger('delete')} after delete on ${source} begin ${remove} end`.execute(db)
  await sql`create trigger ${trigger('update')} after update on ${source} when old.id is not new.id or ${changed} begin ${remove} ${add} end`.execute(
    db,
  )
}

/** If the extension is missing, or this role may not create it, there are no indexes and a search reads each row. */
async function createTrigramIndexes(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  const indexes = columns.map((column) => `create index ${table}_search_${column} on ${table} using gin (lower(${column}) gin_trgm_ops);`)
  await sql`do $$ begin
    create extension if not exists pg_trgm;
    ${sql.raw(indexes.join('\n'))}
  exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then null;
  end $$`.execute(db)
}
