/** Status checks: other systems are told of merge requests, and answer whether they pass. Each is a hook that is called for them. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, refers, required, tableWithId } from './columns.ts'

export const statusChecks: Migration = {
  async up(db: Kysely<unknown>) {
    const setting = 'only_allow_merge_if_all_status_checks_passed'
    await db.schema.alterTable('projects').addColumn(setting, 'boolean', flag(false)).execute()
    await db.schema.alterTable('hooks').addColumn('is_status_check', 'boolean', flag(false)).execute()
    await db.schema
      .createIndex('hooks_status_check_name')
      .unique()
      .on('hooks')
      .columns(['project_id', 'name'])
      .where(sql<boolean>`is_status_check`)
      .execute()
    await db.schema
      .createTable('status_check_branches')
      .addColumn('hook_id', 'bigint', (column) => refers('hooks.id')(column.notNull()))
      .addColumn('protected_branch_id', 'bigint', (column) => refers('protected_branches.id')(column.notNull()))
      .addPrimaryKeyConstraint('status_check_branches_pair', ['hook_id', 'protected_branch_id'])
      .execute()
    await db.schema.createIndex('status_check_branches_by_branch').on('status_check_branches').column('protected_branch_id').execute()
    await tableWithId(db, 'status_check_answers')
      .addColumn('merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column.notNull()))
      .addColumn('hook_id', 'bigint', (column) => refers('hooks.id')(column.notNull()))
      .addColumn('head_oid', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('updated_at', 'text', required)
      .addUniqueConstraint('status_check_answers_pair', ['merge_request_id', 'hook_id'] as never)
      .execute()
    await db.schema.createIndex('status_check_answers_by_hook').on('status_check_answers').column('hook_id').execute()
  },
}
