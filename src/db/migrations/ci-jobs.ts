/** Tables for what a job has besides its status: its plan, its place in the queue, its trace, its artifacts; and packages. */
import { type Kysely, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ci_jobs')
    .addColumn('id', 'bigint', (column) => refers('commit_statuses.id')(column).primaryKey())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('pipeline_id', 'bigint', (column) => refers('pipelines.id')(column).notNull())
    .addColumn('when_to_run', 'text', words('on_success'))
    .addColumn('needs', 'text')
    .addColumn('tags', 'text', words('[]'))
    .addColumn('interruptible', 'boolean', flag(false))
    .addColumn('plan', 'text', required)
    .addColumn('played_variables', 'text')
    .addColumn('attempt', 'integer', number(0))
    .addColumn('scheduled_at', 'text')
    .addColumn('timeout_s', 'integer')
    .addColumn('environment_id', 'bigint', refers('ci_environments.id', 'set null'))
    .addColumn('resource_group_id', 'bigint', refers('ci_resource_groups.id', 'set null'))
    .addColumn('downstream_project_id', 'bigint', refers('projects.id', 'set null'))
    .addColumn('token_digest', 'text', (column) => column.unique())
    .addColumn('runner_manager_id', 'bigint', refers('ci_runner_managers.id', 'set null'))
    .addColumn('dotenv', 'text')
    .addColumn('exit_code', 'integer')
    .addColumn('artifacts_expire_at', 'text')
    .addColumn('erased_at', 'text')
    .addColumn('erased_by_id', 'bigint', refers('users.id', 'set null'))
    .execute()
  for (const [name, columns] of [
    ['ci_jobs_project', ['project_id']],
    ['ci_jobs_pipeline', ['pipeline_id']],
    ['ci_jobs_environment', ['environment_id']],
    ['ci_jobs_resource_group', ['resource_group_id']],
    ['ci_jobs_downstream', ['downstream_project_id']],
    ['ci_jobs_manager', ['runner_manager_id']],
    ['ci_jobs_erased_by', ['erased_by_id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('ci_jobs')
      .columns([...columns])
      .execute()
  await db.schema.createIndex('ci_jobs_scheduled').on('ci_jobs').column('scheduled_at').where('scheduled_at', 'is not', null).execute()
  await createQueue(db)
  await createTraces(db)
  await createArtifacts(db)
  await createPackages(db)
}

/** The pending jobs that a runner may take. Assigning a job deletes its row, so only one runner gets it. */
async function createQueue(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ci_queue')
    .addColumn('job_id', 'bigint', (column) => refers('commit_statuses.id')(column).primaryKey())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('tags', 'text', words('[]'))
    .addColumn('protected', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('ci_queue_newest').on('ci_queue').column('created_at').execute()
  await db.schema.createIndex('ci_queue_project').on('ci_queue').columns(['project_id', 'job_id']).execute()
  await db.schema.createIndex('ci_queue_tags').on('ci_queue').columns(['tags', 'job_id']).execute()
}

/** Chunks of traces as they arrive; at the end they become one object in the store. */
async function createTraces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ci_traces')
    .addColumn('job_id', 'bigint', (column) => refers('ci_jobs.id')(column).primaryKey())
    .addColumn('length', 'bigint', number(0))
    .addColumn('shown', 'bigint', number(0))
    .addColumn('crc32', 'bigint', number(0))
    .addColumn('size', 'bigint')
    .addColumn('store_key', 'text')
    .execute()
  await db.schema
    .createTable('ci_trace_chunks')
    .addColumn('job_id', 'bigint', (column) => refers('ci_jobs.id')(column).notNull())
    .addColumn('start', 'bigint', required)
    .addColumn('bytes', sql.raw(capabilitiesOf(db).bytesType), required)
    .addPrimaryKeyConstraint('ci_trace_chunks_key', ['job_id', 'start'])
    .execute()
}

async function createArtifacts(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'ci_artifacts')
    .addColumn('job_id', 'bigint', (column) => refers('ci_jobs.id')(column).notNull())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('file_type', 'text', required)
    .addColumn('file_format', 'text', required)
    .addColumn('filename', 'text', required)
    .addColumn('size', 'bigint', required)
    .addColumn('sha256', 'text')
    .addColumn('store_key', 'text', required)
    .addColumn('public', 'boolean', flag(true))
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('ci_artifacts_type', ['job_id', 'file_type'])
    .execute()
  await db.schema.createIndex('ci_artifacts_project').on('ci_artifacts').column('project_id').execute()
  await db.schema.createIndex('ci_artifacts_expiring').on('ci_artifacts').column('expires_at').where('expires_at', 'is not', null).execute()
}

async function createPackages(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'packages')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('creator_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('kind', 'text', words('generic'))
    .addColumn('name', 'text', required)
    .addColumn('version', 'text', required)
    .addColumn('status', 'text', words('default'))
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('packages_version', ['project_id', 'kind', 'name', 'version'])
    .execute()
  await db.schema.createIndex('packages_creator').on('packages').column('creator_id').execute()
  await tableWithId(db, 'package_files')
    .addColumn('package_id', 'bigint', (column) => refers('packages.id')(column).notNull())
    .addColumn('file_name', 'text', required)
    .addColumn('size', 'bigint', required)
    .addColumn('sha256', 'text', required)
    .addColumn('store_key', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('package_files_name').on('package_files').columns(['package_id', 'file_name']).execute()
}
