/** The queue of merge requests of each branch, in which the result of merging is tested before it is merged. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId } from './columns.ts'

export const mergeTrains: Migration = {
  async up(db: Kysely<unknown>) {
    const settings = {
      merge_trains_enabled: flag(false),
      merge_trains_skip_train_allowed: flag(false),
    }
    for (const [name, build] of Object.entries(settings)) await db.schema.alterTable('projects').addColumn(name, 'boolean', build).execute()
    const numbers = { max_pipelines_per_merge_train: number(4), merge_train_batch_size: number(4) }
    for (const [name, build] of Object.entries(numbers)) await db.schema.alterTable('projects').addColumn(name, 'integer', build).execute()
    await tableWithId(db, 'merge_train_cars')
      .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column.notNull()))
      .addColumn('merge_request_id', 'bigint', (column) => refers('merge_requests.id')(column.notNull()))
      .addColumn('target_branch', 'text', required)
      .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
      .addColumn('status', 'text', required)
      .addColumn('head_oid', 'text', required)
      .addColumn('base_oid', 'text')
      .addColumn('merged_oid', 'text')
      .addColumn('merge_commit_oid', 'text')
      .addColumn('squash_commit_oid', 'text')
      .addColumn('batch_id', 'bigint')
      .addColumn('pipeline_id', 'bigint', refers('pipelines.id', 'set null'))
      .addColumn('failure', 'text')
      .addColumn('tested_at', 'text')
      .addColumn('created_at', 'text', required)
      .addColumn('updated_at', 'text', required)
      .addColumn('merged_at', 'text')
      .execute()
    await db.schema
      .createIndex('merge_train_cars_waiting')
      .on('merge_train_cars')
      .columns(['project_id', 'target_branch', 'id'])
      .where(sql<boolean>`merged_at is null`)
      .execute()
    await db.schema.createIndex('merge_train_cars_by_project').on('merge_train_cars').columns(['project_id', 'id']).execute()
    await db.schema.createIndex('merge_train_cars_of_request').unique().on('merge_train_cars').column('merge_request_id').execute()
    await db.schema.createIndex('merge_train_cars_by_user').on('merge_train_cars').column('user_id').execute()
    await db.schema.createIndex('merge_train_cars_by_pipeline').on('merge_train_cars').column('pipeline_id').execute()
  },
}
