/** Rules of approval of groups, and how approvals are given and lost in all projects below a group. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const groupApprovals: Migration = {
  async up(db: Kysely<unknown>) {
    await (capabilitiesOf(db).altersConstraints ? alter : rebuild)(db)
    await db.schema.createIndex('approval_rules_name_in_group').unique().on('approval_rules').columns(['group_id', 'name']).execute()
    await db.schema
      .createTable('group_approval_settings')
      .addColumn('group_id', 'bigint', (column) => refers('namespaces.id')(column.primaryKey()))
      .addColumn('merge_requests_author_approval', 'boolean', flag(true))
      .addColumn('merge_requests_disable_committers_approval', 'boolean', flag(false))
      .addColumn('reset_approvals_on', 'text', words('never'))
      .addColumn('selective_code_owner_removals', 'boolean', flag(false))
      .addColumn('disable_overriding_approvers_per_merge_request', 'boolean', flag(false))
      .addColumn('require_password_to_approve', 'boolean', flag(false))
      .execute()
  },
}

const onePlace = sql`(project_id is null) <> (group_id is null)`

async function alter(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('approval_rules')
    .alterColumn('project_id', (column) => column.dropNotNull())
    .execute()
  await db.schema.alterTable('approval_rules').addColumn('group_id', 'bigint', refers('namespaces.id')).execute()
  await db.schema.alterTable('approval_rules').addCheckConstraint('approval_rules_one_place', onePlace).execute()
}

const joined = ['approval_rule_users', 'approval_rule_groups', 'approval_rule_branches']

/**
 * SQLite can't make an existing column nullable, so the table is rebuilt with the same ids. Dropping it deletes the
 * names in rules, and the references to rules that others replace: both are restored.
 */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'approval_rules_anew')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('group_id', 'bigint', refers('namespaces.id'))
    .addColumn('merge_request_id', 'bigint', refers('merge_requests.id'))
    .addColumn('source_rule_id', 'bigint', refers('approval_rules.id', 'set null'))
    .addColumn('rule_type', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('approvals_required', 'integer', number(0))
    .addColumn('applies_to_all_protected_branches', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addCheckConstraint('approval_rules_one_place', onePlace)
    .execute()
  const columns = sql.raw(
    'id, project_id, merge_request_id, rule_type, name, approvals_required, applies_to_all_protected_branches, created_at, updated_at',
  )
  await sql`insert into approval_rules_anew (${columns}) select ${columns} from approval_rules`.execute(db)
  // The sequence goes along, so that the id of a deleted rule is never given to another, not even the last one.
  await sql`delete from sqlite_sequence where name = 'approval_rules_anew'`.execute(db)
  await sql`
    insert into sqlite_sequence (name, seq)
    select 'approval_rules_anew', seq from sqlite_sequence where name = 'approval_rules'`.execute(db)
  for (const table of joined) await sql.raw(`create table kept_${table} as select * from ${table}`).execute(db)
  await sql`create table kept_sources as select id, source_rule_id from approval_rules where source_rule_id is not null`.execute(db)
  await db.schema.dropTable('approval_rules').execute()
  await db.schema.alterTable('approval_rules_anew').renameTo('approval_rules').execute()
  for (const table of joined) {
    await sql.raw(`insert into ${table} select * from kept_${table}`).execute(db)
    await db.schema.dropTable(`kept_${table}`).execute()
  }
  await sql`
    update approval_rules set source_rule_id = (select kept_sources.source_rule_id from kept_sources where kept_sources.id = approval_rules.id)
    where id in (select id from kept_sources)`.execute(db)
  await db.schema.dropTable('kept_sources').execute()
  await createIndexes(db)
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('approval_rules_by_project').on('approval_rules').column('project_id').execute()
  await db.schema.createIndex('approval_rules_by_source').on('approval_rules').column('source_rule_id').execute()
  for (const [name, column, condition] of [
    ['approval_rules_name_in_project', 'project_id', sql<boolean>`merge_request_id is null`],
    ['approval_rules_name_in_merge_request', 'merge_request_id', sql<boolean>`merge_request_id is not null`],
  ] as const)
    await db.schema.createIndex(name).unique().on('approval_rules').columns([column, 'name']).where(condition).execute()
}
