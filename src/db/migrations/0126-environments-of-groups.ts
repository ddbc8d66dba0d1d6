/** Groups protect the environments of all projects below them, by tier. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { number, refers, required, tableWithId } from './columns.ts'

export const environmentsOfGroups: Migration = {
  async up(db: Kysely<unknown>) {
    await (capabilitiesOf(db).altersConstraints ? alter : rebuild)(db)
    await db.schema
      .createIndex('ci_protected_environments_by_tier')
      .unique()
      .on('ci_protected_environments')
      .columns(['group_id', 'name'])
      .execute()
  },
}

const onePlace = sql`(project_id is null) <> (group_id is null)`

async function alter(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('ci_protected_environments')
    .alterColumn('project_id', (column) => column.dropNotNull())
    .execute()
  await db.schema.alterTable('ci_protected_environments').addColumn('group_id', 'bigint', refers('namespaces.id')).execute()
  await db.schema.alterTable('ci_protected_environments').addCheckConstraint('ci_protected_environments_one_place', onePlace).execute()
}

/**
 * SQLite can't make an existing column nullable, so the table is rebuilt with the same ids. Dropping it deletes the rules that refer to it,
 * and takes them from approvals: both are put back.
 */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'ci_protected_anew')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('group_id', 'bigint', refers('namespaces.id'))
    .addColumn('name', 'text', required)
    .addColumn('required_approval_count', 'integer', number(0))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addCheckConstraint('ci_protected_environments_one_place', onePlace)
    .execute()
  const columns = sql.raw('id, project_id, name, required_approval_count, created_at, updated_at')
  await sql`insert into ci_protected_anew (${columns}) select ${columns} from ci_protected_environments`.execute(db)
  // No id is ever reused, not even that of the last one after its deletion.
  await sql`delete from sqlite_sequence where name = 'ci_protected_anew'`.execute(db)
  await sql`
    insert into sqlite_sequence (name, seq)
    select 'ci_protected_anew', seq from sqlite_sequence where name = 'ci_protected_environments'`.execute(db)
  await sql`create table kept_rules as select * from ci_environment_rules`.execute(db)
  await sql`create table kept_approvals as select id, rule_id from ci_deployment_approvals where rule_id is not null`.execute(db)
  await db.schema.dropTable('ci_protected_environments').execute()
  await db.schema.alterTable('ci_protected_anew').renameTo('ci_protected_environments').execute()
  await sql`insert into ci_environment_rules select * from kept_rules`.execute(db)
  await sql`
    update ci_deployment_approvals set rule_id = (select kept_approvals.rule_id from kept_approvals where kept_approvals.id = ci_deployment_approvals.id)
    where id in (select id from kept_approvals)`.execute(db)
  for (const kept of ['kept_rules', 'kept_approvals']) await db.schema.dropTable(kept).execute()
  await db.schema
    .createIndex('ci_protected_environments_by_name')
    .unique()
    .on('ci_protected_environments')
    .columns(['project_id', 'name'])
    .execute()
}
