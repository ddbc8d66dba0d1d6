/** Environments to which only some may deploy, with the approvals that a deployment needs. */
import type { Kysely, Migration } from 'kysely'
import { number, refers, required, tableWithId } from './columns.ts'

export const protectedEnvironments: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'ci_protected_environments')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.notNull()))
      .addColumn('name', 'text', required)
      .addColumn('required_approval_count', 'integer', number(0))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
    await db.schema
      .createIndex('ci_protected_environments_by_name')
      .unique()
      .on('ci_protected_environments')
      .columns(['project_id', 'name'])
      .execute()
    await tableWithId(db, 'ci_environment_rules')
      .addColumn('protected_environment_id', 'bigint', (column) => refers('ci_protected_environments.id')(column.notNull()))
      .addColumn('kind', 'text', required)
      .addColumn('access_level', 'integer')
      .addColumn('user_id', 'bigint', refers('users.id'))
      .addColumn('group_id', 'bigint', refers('namespaces.id'))
      .addColumn('group_inheritance_type', 'integer', number(0))
      .addColumn('required_approvals', 'integer', number(0))
      .execute()
    for (const column of ['protected_environment_id', 'user_id', 'group_id'])
      await db.schema.createIndex(`ci_environment_rules_by_${column}`).on('ci_environment_rules').column(column).execute()
    await tableWithId(db, 'ci_deployment_approvals')
      .addColumn('deployment_id', 'bigint', (column) => refers('ci_deployments.id')(column.notNull()))
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column.notNull()))
      .addColumn('rule_id', 'bigint', refers('ci_environment_rules.id', 'set null'))
      .addColumn('status', 'text', required)
      .addColumn('comment', 'text')
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema
      .createIndex('ci_deployment_approvals_by_user_of_deployment')
      .unique()
      .on('ci_deployment_approvals')
      .columns(['deployment_id', 'user_id'])
      .execute()
    for (const column of ['user_id', 'rule_id'])
      await db.schema.createIndex(`ci_deployment_approvals_by_${column}`).on('ci_deployment_approvals').column(column).execute()
  },
}
