/** CI: pipelines, their jobs, and everything they need; statuses of commits become rows of the same table. */
import { type Kysely, type Migration, sql } from 'kysely'
import { createJobs } from './ci-jobs.ts'
import { createPlaces } from './ci-places.ts'
import { createRunners } from './ci-runners.ts'
import { type Build, flag, number, refers, required, tableWithId, words } from './columns.ts'

export const ci: Migration = {
  async up(db) {
    await createTriggers(db)
    await createRunners(db)
    await extendPipelines(db)
    await extendStatuses(db)
    await extendProjects(db)
    await createPlaces(db)
    await createJobs(db)
  },
}

/** Other ways to start pipelines besides pushes: trigger tokens and schedules. */
async function createTriggers(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'ci_triggers')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('owner_id', 'bigint', refers('users.id'))
    .addColumn('description', 'text', required)
    .addColumn('token', 'text', required)
    .addColumn('token_digest', 'text', (column) => column.notNull().unique())
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('ci_triggers_project').on('ci_triggers').column('project_id').execute()
  await db.schema.createIndex('ci_triggers_owner').on('ci_triggers').column('owner_id').execute()
  await tableWithId(db, 'ci_schedules')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('owner_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('description', 'text', required)
    .addColumn('ref', 'text', required)
    .addColumn('cron', 'text', required)
    .addColumn('cron_timezone', 'text', words('UTC'))
    .addColumn('next_run_at', 'text')
    .addColumn('active', 'boolean', flag(true))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema.createIndex('ci_schedules_project').on('ci_schedules').column('project_id').execute()
  await db.schema.createIndex('ci_schedules_owner').on('ci_schedules').column('owner_id').execute()
  await db.schema.createIndex('ci_schedules_due').on('ci_schedules').columns(['active', 'next_run_at']).execute()
}

async function extendPipelines(db: Kysely<unknown>): Promise<void> {
  const add = (name: string, type: 'text' | 'bigint' | 'integer' | 'real', build: Build = (column) => column) =>
    db.schema.alterTable('pipelines').addColumn(name, type, build).execute()
  await add('iid', 'bigint')
  for (const name of ['before_sha', 'name', 'yaml_errors', 'failure_reason', 'committed_at']) await add(name, 'text')
  await add('coverage', 'real')
  await add('duration_s', 'integer')
  await add('queued_duration_s', 'integer')
  await add('auto_cancel', 'text', words('conservative'))
  await add('merge_request_id', 'bigint', refers('merge_requests.id', 'set null'))
  await add('trigger_id', 'bigint', refers('ci_triggers.id', 'set null'))
  await add('schedule_id', 'bigint', refers('ci_schedules.id', 'set null'))
  for (const name of ['protected', 'cancel_on_job_failure'])
    await db.schema.alterTable('pipelines').addColumn(name, 'boolean', flag(false)).execute()
  await sql`update pipelines set iid = (
    select count(*) from pipelines as earlier where earlier.project_id = pipelines.project_id and earlier.id <= pipelines.id)`.execute(db)
  await sql`insert into internal_ids (project_id, kind, last_value)
    select project_id, 'pipeline', max(iid) from pipelines group by project_id`.execute(db)
  await db.schema.createIndex('pipelines_number').unique().on('pipelines').columns(['project_id', 'iid']).execute()
  for (const [name, columns] of [
    ['pipelines_newest', ['project_id', 'id']],
    ['pipelines_of_ref', ['project_id', 'ref', 'id']],
    ['pipelines_of_status', ['project_id', 'status', 'id']],
    ['pipelines_merge_request', ['merge_request_id', 'id']],
    ['pipelines_schedule', ['schedule_id', 'id']],
    ['pipelines_trigger', ['trigger_id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('pipelines')
      .columns([...columns])
      .execute()
  await db.schema
    .createTable('ci_pipeline_variables')
    .addColumn('pipeline_id', 'bigint', (column) => refers('pipelines.id')(column).notNull())
    .addColumn('key', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('kind', 'text', words('env_var'))
    .addColumn('raw', 'boolean', flag(false))
    .addPrimaryKeyConstraint('ci_pipeline_variables_key', ['pipeline_id', 'key'])
    .execute()
  await db.schema
    .createTable('ci_downstream_pipelines')
    .addColumn('pipeline_id', 'bigint', (column) => refers('pipelines.id')(column).primaryKey())
    .addColumn('job_id', 'bigint', (column) => refers('commit_statuses.id')(column).notNull())
    .execute()
  await db.schema.createIndex('ci_downstream_pipelines_job').on('ci_downstream_pipelines').column('job_id').execute()
}

/** A status is a row of its own pipeline. Of several with the same name, all but the newest are `retried`. */
async function extendStatuses(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('commit_statuses').addColumn('kind', 'text', words('external')).execute()
  await db.schema.alterTable('commit_statuses').addColumn('stage_idx', 'integer', number(1_000_000)).execute()
  for (const name of ['tag', 'retried', 'protected'])
    await db.schema.alterTable('commit_statuses').addColumn(name, 'boolean', flag(false)).execute()
  for (const name of ['queued_at', 'updated_at', 'failure_reason'])
    await db.schema.alterTable('commit_statuses').addColumn(name, 'text').execute()
  await db.schema.alterTable('commit_statuses').addColumn('runner_id', 'bigint', refers('ci_runners.id', 'set null')).execute()
  await sql`update commit_statuses set retried = ${sql.lit(true)} where exists (
    select 1 from commit_statuses as later
    where later.pipeline_id = commit_statuses.pipeline_id and later.name = commit_statuses.name and later.id > commit_statuses.id)`.execute(
    db,
  )
  for (const [name, columns] of [
    ['commit_statuses_jobs', ['project_id', 'kind', 'id']],
    ['commit_statuses_by_status', ['project_id', 'kind', 'status', 'id']],
    ['commit_statuses_runner', ['runner_id', 'id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('commit_statuses')
      .columns([...columns])
      .execute()
  // Jobs that may time out, of all projects.
  await db.schema
    .createIndex('commit_statuses_open')
    .on('commit_statuses')
    .columns(['status', 'updated_at'])
    .where(sql`kind`, '<>', sql.lit('external'))
    .execute()
}

async function extendProjects(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('build_timeout_s', 'integer', number(3_600)).execute()
  await db.schema.alterTable('projects').addColumn('build_coverage_regex', 'text').execute()
  await db.schema.alterTable('projects').addColumn('build_git_strategy', 'text', words('fetch')).execute()
  await db.schema.alterTable('projects').addColumn('ci_default_git_depth', 'integer').execute()
  await db.schema.alterTable('projects').addColumn('group_runners_enabled', 'boolean', flag(true)).execute()
  await db.schema.alterTable('projects').addColumn('auto_cancel_pending_pipelines', 'text', words('enabled')).execute()
  await db.schema.alterTable('projects').addColumn('keep_latest_artifact', 'boolean', flag(true)).execute()
  await db.schema.alterTable('projects').addColumn('job_token_scope_enabled', 'boolean', flag(true)).execute()
  await db.schema.alterTable('namespaces').addColumn('runners_token', 'text').execute()
  await db.schema.alterTable('namespaces').addColumn('runners_token_digest', 'text').execute()
  await db.schema.createIndex('namespaces_runners_token').unique().on('namespaces').column('runners_token_digest').execute()
}
