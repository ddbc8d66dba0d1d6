/** Approvals that a merge needs: rules of projects and of merge requests, and how approvals are given and lost. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const approvalRules: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('approval_settings')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.primaryKey()))
      .addColumn('merge_requests_author_approval', 'boolean', flag(false))
      .addColumn('merge_requests_disable_committers_approval', 'boolean', flag(false))
      .addColumn('reset_approvals_on', 'text', words('change'))
      .addColumn('selective_code_owner_removals', 'boolean', flag(false))
      .addColumn('disable_overriding_approvers_per_merge_request', 'boolean', flag(false))
      .addColumn('require_password_to_approve', 'boolean', flag(false))
      .execute()
    await tableWithId(db, 'approval_rules')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.notNull()))
      .addColumn('merge_request_id', 'bigint', refers('merge_requests.id'))
      .addColumn('source_rule_id', 'bigint', refers('approval_rules.id', 'set null'))
      .addColumn('rule_type', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('approvals_required', 'integer', number(0))
      .addColumn('applies_to_all_protected_branches', 'boolean', flag(false))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await createIndexes(db)
    await joined(db, 'approval_rule_users', 'user_id', 'users.id')
    await joined(db, 'approval_rule_groups', 'group_id', 'namespaces.id')
    await joined(db, 'approval_rule_branches', 'protected_branch_id', 'protected_branches.id')
  },
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('approval_rules_by_project').on('approval_rules').column('project_id').execute()
  await db.schema.createIndex('approval_rules_by_source').on('approval_rules').column('source_rule_id').execute()
  await db.schema
    .createIndex('approval_rules_name_in_project')
    .unique()
    .on('approval_rules')
    .columns(['project_id', 'name'])
    .where(sql<boolean>`merge_request_id is null`)
    .execute()
  await db.schema
    .createIndex('approval_rules_name_in_merge_request')
    .unique()
    .on('approval_rules')
    .columns(['merge_request_id', 'name'])
    .where(sql<boolean>`merge_request_id is not null`)
    .execute()
}

/** Creates a table that joins rules with the users, groups or branches that they name. */
async function joined(db: Kysely<unknown>, table: string, column: string, target: string): Promise<void> {
  await db.schema
    .createTable(table)
    .addColumn('rule_id', 'bigint', (one) => refers('approval_rules.id')(one.notNull()))
    .addColumn(column, 'bigint', (one) => refers(target)(one.notNull()))
    .addPrimaryKeyConstraint(`${table}_key`, ['rule_id', column] as never)
    .execute()
  await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
}
