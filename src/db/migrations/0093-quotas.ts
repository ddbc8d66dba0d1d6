/** Limits of storage, and sizes of stored files of projects, which triggers keep: nothing needs to be added up when a file arrives. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { number, refers, tableWithId } from './columns.ts'

export const quotas: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'size_limits')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.unique()))
      .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column.unique()))
      .addColumn('repository_size_limit', 'bigint')
      .addColumn('storage_size_limit', 'bigint')
      .execute()
    await db.schema
      .createTable('stored_sizes')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.primaryKey()))
      .addColumn('job_artifacts_size', 'bigint', number(0))
      .addColumn('packages_size', 'bigint', number(0))
      .addColumn('uploads_size', 'bigint', number(0))
      .execute()
    for (const one of counted)
      for (const statement of triggersOf(one, capabilitiesOf(db).appendsCounts)) await sql.raw(statement).execute(db)
    await sql
      .raw(
        `insert into stored_sizes (project_id, job_artifacts_size, packages_size, uploads_size)
         select projects.id, ${counted.map(({ sum }) => `coalesce((${sum}), 0)`).join(', ')} from projects`,
      )
      .execute(db)
  },
}

export interface Counted {
  table: string
  column: string
  /** The project of a row, `new` or `old`; null if it has gone with all its rows. */
  project: (row: string) => string
  /** Counts the rows that exist when the migration runs, for the project of a row of `stored_sizes`. */
  sum: string
}

const counted: Counted[] = [
  {
    table: 'ci_artifacts',
    column: 'job_artifacts_size',
    project: (row) => `${row}.project_id`,
    sum: 'select sum(size) from ci_artifacts where project_id = projects.id',
  },
  {
    table: 'package_files',
    column: 'packages_size',
    project: (row) => `(select project_id from packages where id = ${row}.package_id)`,
    sum: 'select sum(size) from package_files join packages on packages.id = package_files.package_id where packages.project_id = projects.id',
  },
  {
    table: 'uploads',
    column: 'uploads_size',
    project: (row) => `${row}.project_id`,
    sum: 'select sum(size) from uploads where project_id = projects.id',
  },
]

/**
 * Rows of packages go before those of their files do, so what a deleted package had is subtracted with it. Of a project that is being deleted
 * nothing is: PostgreSQL checks the reference of a row that one statement updates twice, and by then the project is gone.
 */
export function triggersOf(one: Counted, isPostgres: boolean): string[] {
  const { table, column, project } = one
  const add = `insert into stored_sizes (project_id, ${column}) values (${project('new')}, new.size)
    on conflict (project_id) do update set ${column} = stored_sizes.${column} + excluded.${column};`
  const isThere = 'exists (select 1 from projects where projects.id = stored_sizes.project_id)'
  const remove = `update stored_sizes set ${column} = ${column} - old.size where project_id = ${project('old')} and ${isThere};`
  const whole = `update stored_sizes set packages_size = packages_size -
    coalesce((select sum(size) from package_files where package_id = old.id), 0) where project_id = old.project_id and ${isThere};`
  return [
    ...trigger(`${table}_stored`, `after insert on ${table}`, add, isPostgres),
    ...trigger(`${table}_removed`, `after delete on ${table}`, remove, isPostgres),
    ...(table === 'package_files' ? trigger('packages_removed', 'before delete on packages', whole, isPostgres) : []),
  ]
}

function trigger(name: string, when: string, work: string, isPostgres: boolean): string[] {
  if (!isPostgres) return [`create trigger ${name} ${when} for each row begin ${work} end`]
  const row = when.startsWith('before delete') || when.startsWith('after delete') ? 'old' : 'new'
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${work} return ${row}; end $$`,
    `create trigger ${name} ${when} for each row execute function ${name}()`,
  ]
}
