/** Mirrors: repositories elsewhere that follow a project (push mirrors), or that a project follows (pull mirrors). */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const mirrors: Migration = {
  async up(db: Kysely<unknown>) {
    await withState(tableWithId(db, 'push_mirrors'))
      .addColumn('enabled', 'boolean', flag(false))
      .addColumn('only_protected_branches', 'boolean', flag(false))
      .addColumn('keep_divergent_refs', 'boolean', flag(false))
      .execute()
    await db.schema.createIndex('push_mirrors_project').on('push_mirrors').column('project_id').execute()
    await withState(tableWithId(db, 'pull_mirrors'))
      .addColumn('enabled', 'boolean', flag(true))
      .addColumn('only_protected_branches', 'boolean', flag(false))
      .addColumn('overwrites_diverged_branches', 'boolean', flag(false))
      .addColumn('trigger_builds', 'boolean', flag(false))
      .addColumn('next_update_at', 'text')
      .execute()
    await db.schema.createIndex('pull_mirrors_project').on('pull_mirrors').column('project_id').unique().execute()
    await db.schema.createIndex('pull_mirrors_due').on('pull_mirrors').column('next_update_at').execute()
  },
}

/** The remote, how to connect to it, and the results of recent runs. URLs and private keys are sealed (`program/secrets.ts`). */
function withState(table: ReturnType<typeof tableWithId>) {
  return table
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('url', 'text', required)
    .addColumn('auth_method', 'text', words('password'))
    .addColumn('private_key', 'text')
    .addColumn('public_key', 'text')
    .addColumn('host_keys', 'text')
    .addColumn('mirror_branch_regex', 'text')
    .addColumn('update_status', 'text', words('none'))
    .addColumn('last_error', 'text')
    .addColumn('last_update_at', 'text')
    .addColumn('last_update_started_at', 'text')
    .addColumn('last_successful_update_at', 'text')
    .addColumn('failures', 'integer', number(0))
    .addColumn('runner', 'text')
    .addColumn('running_until', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
}
