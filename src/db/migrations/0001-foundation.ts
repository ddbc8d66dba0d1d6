/** Users and their tokens, namespaces, projects, members, and the queue. */
import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, type Migration, SqliteAdapter, sql } from 'kysely'

type Build = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder

const required: Build = (column) => column.notNull()
const flag =
  (value: boolean): Build =>
  (column) =>
    column.notNull().defaultTo(sql.lit(value))
const words =
  (value: string): Build =>
  (column) =>
    column.notNull().defaultTo(value)
const number =
  (value: number): Build =>
  (column) =>
    column.notNull().defaultTo(value)
const refers =
  (target: string, onDelete: 'cascade' | 'set null' | 'restrict' = 'cascade'): Build =>
  (column) =>
    column.references(target).onDelete(onDelete)

export const foundation: Migration = {
  async up(db) {
    await createPeople(db)
    await createNamespaces(db)
    await createProjects(db)
    await createQueue(db)
  },
}

/** A table whose ids are never used twice, on either engine. */
function tableWithId(db: Kysely<unknown>, name: string): CreateTableBuilder<string, 'id'> {
  const sqlite = db.getExecutor().adapter instanceof SqliteAdapter
  return db.schema
    .createTable(name)
    .addColumn('id', sqlite ? 'integer' : 'bigint', (id) =>
      sqlite ? id.primaryKey().autoIncrement() : id.primaryKey().generatedByDefaultAsIdentity(),
    )
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'users')
    .addColumn('username', 'text', required)
    .addColumn('username_key', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', required)
    .addColumn('email', 'text', required)
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', words('active'))
    .addColumn('password_hash', 'text')
    .addColumn('admin', 'boolean', flag(false))
    .addColumn('external', 'boolean', flag(false))
    .addColumn('private_profile', 'boolean', flag(false))
    .addColumn('can_create_group', 'boolean', flag(true))
    .addColumn('projects_limit', 'integer', number(100_000))
    .addColumn('bio', 'text')
    .addColumn('location', 'text')
    .addColumn('skype', 'text', words(''))
    .addColumn('linkedin', 'text', words(''))
    .addColumn('twitter', 'text', words(''))
    .addColumn('website_url', 'text', words(''))
    .addColumn('organization', 'text')
    .addColumn('theme_id', 'integer', number(1))
    .addColumn('color_scheme_id', 'integer', number(1))
    .addColumn('confirmed_at', 'text')
    .addColumn('current_sign_in_at', 'text')
    .addColumn('last_sign_in_at', 'text')
    .addColumn('last_activity_on', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema
    .createTable('identities')
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('provider', 'text', required)
    .addColumn('extern_uid', 'text', required)
    .addPrimaryKeyConstraint('identities_pk', ['provider', 'extern_uid'])
    .execute()
  await db.schema.createIndex('identities_user').on('identities').column('user_id').execute()
  await tableWithId(db, 'access_tokens')
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('name', 'text', required)
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', required)
    .addColumn('expires_on', 'text')
    .addColumn('revoked', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('last_used_on', 'text')
    .execute()
  await db.schema.createIndex('access_tokens_user').on('access_tokens').column('user_id').execute()
}

async function createNamespaces(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'namespaces')
    .addColumn('kind', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('path', 'text', required)
    .addColumn('parent_id', 'bigint', refers('namespaces.id'))
    .addColumn('owner_id', 'bigint', (column) => refers('users.id')(column).unique())
    .addColumn('description', 'text', words(''))
    .addColumn('visibility', 'text', words('private'))
    .addColumn('lfs_enabled', 'boolean', flag(true))
    .addColumn('request_access_enabled', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema.createIndex('namespaces_parent').on('namespaces').column('parent_id').execute()
  await db.schema
    .createTable('namespace_ancestors')
    .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column).notNull())
    .addColumn('ancestor_id', 'bigint', (column) => refers('namespaces.id')(column).notNull())
    .addPrimaryKeyConstraint('namespace_ancestors_pk', ['namespace_id', 'ancestor_id'])
    .execute()
  await db.schema.createIndex('namespace_ancestors_up').on('namespace_ancestors').columns(['ancestor_id', 'namespace_id']).execute()
}

async function createProjects(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'projects')
    .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column).notNull())
    .addColumn('creator_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('name', 'text', required)
    .addColumn('path', 'text', required)
    .addColumn('description', 'text')
    .addColumn('visibility', 'text', words('private'))
    .addColumn('default_branch', 'text')
    .addColumn('archived', 'boolean', flag(false))
    .addColumn('issues_enabled', 'boolean', flag(true))
    .addColumn('merge_requests_enabled', 'boolean', flag(true))
    .addColumn('jobs_enabled', 'boolean', flag(true))
    .addColumn('wiki_enabled', 'boolean', flag(true))
    .addColumn('snippets_enabled', 'boolean', flag(true))
    .addColumn('container_registry_enabled', 'boolean', flag(false))
    .addColumn('shared_runners_enabled', 'boolean', flag(true))
    .addColumn('lfs_enabled', 'boolean', flag(true))
    .addColumn('public_jobs', 'boolean', flag(true))
    .addColumn('request_access_enabled', 'boolean', flag(false))
    .addColumn('resolve_outdated_diff_discussions', 'boolean', flag(false))
    .addColumn('printing_merge_request_link_enabled', 'boolean', flag(true))
    .addColumn('only_allow_merge_if_pipeline_succeeds', 'boolean', flag(false))
    .addColumn('only_allow_merge_if_all_discussions_are_resolved', 'boolean', flag(false))
    .addColumn('merge_method', 'text', words('merge'))
    .addColumn('ci_config_path', 'text')
    .addColumn('tag_list', 'text', words('[]'))
    .addColumn('runners_token', 'text', (column) => column.notNull().unique())
    .addColumn('star_count', 'integer', number(0))
    .addColumn('forks_count', 'integer', number(0))
    .addColumn('open_issues_count', 'integer', number(0))
    .addColumn('commit_count', 'integer', number(0))
    .addColumn('repository_size', 'bigint', number(0))
    .addColumn('readme_path', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addColumn('last_activity_at', 'text', required)
    .addUniqueConstraint('projects_namespace_name', ['namespace_id', 'name'])
    .execute()
  for (const column of ['namespace_id', 'creator_id', 'created_at', 'last_activity_at']) {
    await db.schema.createIndex(`projects_${column}`).on('projects').column(column).execute()
  }
  await db.schema
    .createTable('routes')
    .addColumn('path_key', 'text', (column) => column.primaryKey())
    .addColumn('path', 'text', required)
    .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column).unique())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).unique())
    .execute()
  await tableWithId(db, 'members')
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('access_level', 'integer', required)
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('members_project_user', ['project_id', 'user_id'])
    .addUniqueConstraint('members_namespace_user', ['namespace_id', 'user_id'])
    .addCheckConstraint('members_one_place', sql`(project_id is null) <> (namespace_id is null)`)
    .execute()
  await db.schema.createIndex('members_user').on('members').columns(['user_id', 'namespace_id', 'project_id']).execute()
}

async function createQueue(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'jobs')
    .addColumn('name', 'text', required)
    .addColumn('payload', 'text', required)
    .addColumn('state', 'text', words('ready'))
    .addColumn('run_at', 'text', required)
    .addColumn('attempts', 'integer', number(0))
    .addColumn('last_error', 'text')
    .addColumn('unique_key', 'text', (column) => column.unique())
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('jobs_due').on('jobs').columns(['state', 'run_at']).execute()
}
