/** Rules that pushes must follow: of a project, of a group or of the instance. */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const pushRules: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'push_rules')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.unique()))
      .addColumn('group_id', 'bigint', (column) => refers('namespaces.id')(column.unique()))
      .addColumn('is_instance', 'boolean', (column) => column.unique())
      .addColumn('commit_message_regex', 'text', words(''))
      .addColumn('commit_message_negative_regex', 'text', words(''))
      .addColumn('branch_name_regex', 'text', words(''))
      .addColumn('author_email_regex', 'text', words(''))
      .addColumn('file_name_regex', 'text', words(''))
      .addColumn('max_file_size', 'integer', number(0))
      .addColumn('prevent_secrets', 'boolean', flag(false))
      .addColumn('allow_secrets_by_option', 'boolean', flag(false))
      .addColumn('member_check', 'boolean', flag(false))
      .addColumn('commit_committer_check', 'boolean', flag(false))
      .addColumn('commit_committer_name_check', 'boolean', flag(false))
      .addColumn('reject_unsigned_commits', 'boolean', flag(false))
      .addColumn('reject_non_dco_commits', 'boolean', flag(false))
      .addColumn('deny_delete_tag', 'boolean', flag(false))
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .execute()
  },
}
