/** Tables of repositories: the journal of pushes, events, protection, releases, comments, statuses, settings. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const repository: Migration = {
  async up(db) {
    await createPushes(db)
    await createProtection(db)
    await createReleases(db)
    await createComments(db)
    await createPipelines(db)
    await createFacts(db)
    await db.schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', required)
      .execute()
  },
}

async function createPushes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('push_count', 'integer', number(0)).execute()
  await tableWithId(db, 'push_intents')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('process', 'text', required)
    .addColumn('changes', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('push_intents_project').on('push_intents').column('project_id').execute()
  await db.schema.createIndex('push_intents_user').on('push_intents').column('user_id').execute()
  await tableWithId(db, 'events')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('author_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('action', 'text', required)
    .addColumn('target_type', 'text')
    .addColumn('target_id', 'bigint')
    .addColumn('ref', 'text')
    .addColumn('before_oid', 'text')
    .addColumn('after_oid', 'text')
    .addColumn('commit_count', 'integer')
    .addColumn('commit_title', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('events_project').on('events').columns(['project_id', 'created_at']).execute()
  await db.schema.createIndex('events_author').on('events').columns(['author_id', 'created_at']).execute()
  await db.schema
    .createIndex('events_uncounted')
    .on('events')
    .column('project_id')
    .where(sql<boolean>`commit_count is null and action = 'pushed'`)
    .execute()
}

async function createProtection(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'protected_branches')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('name', 'text', required)
    .addColumn('push_level', 'integer', required)
    .addColumn('merge_level', 'integer', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('protected_branches_name', ['project_id', 'name'])
    .execute()
  await tableWithId(db, 'protected_tags')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('name', 'text', required)
    .addColumn('create_level', 'integer', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('protected_tags_name', ['project_id', 'name'])
    .execute()
}

async function createReleases(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'releases')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('tag_name', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('releases_tag', ['project_id', 'tag_name'])
    .execute()
}

async function createComments(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'commit_comments')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('commit_oid', 'text', required)
    .addColumn('author_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('note', 'text', required)
    .addColumn('path', 'text')
    .addColumn('line', 'integer')
    .addColumn('line_type', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('commit_comments_commit').on('commit_comments').columns(['project_id', 'commit_oid']).execute()
  await db.schema.createIndex('commit_comments_author').on('commit_comments').column('author_id').execute()
}

async function createPipelines(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'pipelines')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('ref', 'text', required)
    .addColumn('sha', 'text', required)
    .addColumn('tag', 'boolean', flag(false))
    .addColumn('source', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .execute()
  await db.schema.createIndex('pipelines_commit').on('pipelines').columns(['project_id', 'sha', 'ref']).execute()
  await db.schema.createIndex('pipelines_user').on('pipelines').column('user_id').execute()
  await tableWithId(db, 'commit_statuses')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('pipeline_id', 'bigint', (column) => refers('pipelines.id')(column).notNull())
    .addColumn('sha', 'text', required)
    .addColumn('ref', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('stage', 'text', words('external'))
    .addColumn('status', 'text', required)
    .addColumn('target_url', 'text')
    .addColumn('description', 'text')
    .addColumn('coverage', 'real')
    .addColumn('allow_failure', 'boolean', flag(false))
    .addColumn('author_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('created_at', 'text', required)
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .execute()
  await db.schema.createIndex('commit_statuses_commit').on('commit_statuses').columns(['project_id', 'sha']).execute()
  await db.schema.createIndex('commit_statuses_pipeline').on('commit_statuses').column('pipeline_id').execute()
  await db.schema.createIndex('commit_statuses_author').on('commit_statuses').column('author_id').execute()
}

/** Facts that are expensive to count and depend on one commit only, stored with the commit they were last counted for. */
async function createFacts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('repository_facts')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('kind', 'text', required)
    .addColumn('tip', 'text', required)
    .addColumn('facts', 'text', required)
    .addPrimaryKeyConstraint('repository_facts_pk', ['project_id', 'kind'])
    .execute()
}
