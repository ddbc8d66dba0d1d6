/** People and spaces: profiles of users, how they sign in, and what groups and projects share. */
import { type CreateTableBuilder, type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const people: Migration = {
  async up(db) {
    await extendUsers(db)
    await createEmails(db)
    await createSignIn(db)
    await createNotes(db)
    await extendSpaces(db)
    await createSharing(db)
    await createFiles(db)
  },
}

async function extendUsers(db: Kysely<unknown>): Promise<void> {
  const users = () => db.schema.alterTable('users')
  await users().addColumn('avatar_key', 'text').execute()
  await users().addColumn('avatar_name', 'text').execute()
  await users().addColumn('kind', 'text', words('human')).execute()
  await users().addColumn('unconfirmed_email', 'text').execute()
  await users().addColumn('password_expires_at', 'text').execute()
  await users().addColumn('accepted_terms', 'text').execute()
  await db.schema.createIndex('users_one_ghost').on('users').column('kind').unique().where(sql.ref('kind'), '=', sql.lit('ghost')).execute()
}

async function createEmails(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'emails')
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('email', 'text', required)
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('is_primary', 'boolean', flag(false))
    .addColumn('confirmed_at', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('emails_user').on('emails').column('user_id').execute()
  await sql`insert into emails (user_id, email, email_key, is_primary, confirmed_at, created_at)
    select id, email, email_key, ${sql.lit(true)}, confirmed_at, created_at from users order by id`.execute(db)
}

async function createSignIn(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('access_tokens').addColumn('impersonation', 'boolean', flag(false)).execute()
  await db.schema
    .createTable('sessions')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('lasts_min', 'integer', required)
    .addColumn('expires_at', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
  await db.schema.createIndex('sessions_due').on('sessions').column('expires_at').execute()
  await tableWithId(db, 'gpg_keys')
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('key', 'text', required)
    .addColumn('fingerprint', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('gpg_keys_user').on('gpg_keys').column('user_id').execute()
}

async function createNotes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('user_statuses')
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).primaryKey())
    .addColumn('emoji', 'text', required)
    .addColumn('message', 'text', words(''))
    .execute()
  await tableWithId(db, 'custom_attributes')
    .addColumn('user_id', 'bigint', refers('users.id'))
    .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
    .addColumn('project_id', 'bigint', refers('projects.id'))
    .addColumn('key', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('custom_attributes_user_key', ['user_id', 'key'])
    .addUniqueConstraint('custom_attributes_namespace_key', ['namespace_id', 'key'])
    .addUniqueConstraint('custom_attributes_project_key', ['project_id', 'key'])
    .execute()
  await db.schema.createIndex('custom_attributes_value').on('custom_attributes').columns(['key', 'value']).execute()
  await tableWithId(db, 'broadcast_messages')
    .addColumn('message', 'text', required)
    .addColumn('starts_at', 'text', required)
    .addColumn('ends_at', 'text', required)
    .addColumn('color', 'text')
    .addColumn('font', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text')
    .execute()
}

async function extendSpaces(db: Kysely<unknown>): Promise<void> {
  for (const table of ['namespaces', 'projects']) {
    await db.schema.alterTable(table).addColumn('avatar_key', 'text').execute()
    await db.schema.alterTable(table).addColumn('avatar_name', 'text').execute()
  }
  const projects = () => db.schema.alterTable('projects')
  await projects().addColumn('forked_from_id', 'bigint', refers('projects.id', 'set null')).execute()
  await projects().addColumn('import_status', 'text', words('none')).execute()
  await projects().addColumn('import_error', 'text').execute()
  await projects().addColumn('import_url', 'text').execute()
  await db.schema.alterTable('members').addColumn('updated_at', 'text').execute()
  await db.schema.createIndex('projects_forked_from').on('projects').column('forked_from_id').execute()
}

async function createSharing(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('project_stars')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('created_at', 'text', required)
    .addPrimaryKeyConstraint('project_stars_key', ['user_id', 'project_id'])
    .execute()
  await db.schema.createIndex('project_stars_project').on('project_stars').column('project_id').execute()
  await tableWithId(db, 'group_shares')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('group_id', 'bigint', (column) => refers('namespaces.id')(column).notNull())
    .addColumn('access_level', 'integer', required)
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('group_shares_once', ['project_id', 'group_id'])
    .execute()
  await db.schema.createIndex('group_shares_group').on('group_shares').column('group_id').execute()
  await inOnePlace(tableWithId(db, 'access_requests'))
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('access_requests_project_user', ['project_id', 'user_id'])
    .addUniqueConstraint('access_requests_namespace_user', ['namespace_id', 'user_id'])
    .addCheckConstraint('access_requests_one_place', sql`(project_id is null) <> (namespace_id is null)`)
    .execute()
  await db.schema.createIndex('access_requests_user').on('access_requests').column('user_id').execute()
  await inOnePlace(tableWithId(db, 'badges'))
    .addColumn('link_url', 'text', required)
    .addColumn('image_url', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text')
    .addCheckConstraint('badges_one_place', sql`(project_id is null) <> (namespace_id is null)`)
    .execute()
  for (const column of ['project_id', 'namespace_id']) await db.schema.createIndex(`badges_${column}`).on('badges').column(column).execute()
}

function inOnePlace(table: CreateTableBuilder<string, 'id'>) {
  return table.addColumn('project_id', 'bigint', refers('projects.id')).addColumn('namespace_id', 'bigint', refers('namespaces.id'))
}

async function createFiles(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'uploads')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('secret', 'text', (column) => column.notNull().unique())
    .addColumn('filename', 'text', required)
    .addColumn('size', 'bigint', required)
    .addColumn('store_key', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('uploads_project').on('uploads').column('project_id').execute()
  await db.schema.createIndex('uploads_user').on('uploads').column('user_id').execute()
  await db.schema
    .createTable('project_exports')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).primaryKey())
    .addColumn('state', 'text', required)
    .addColumn('description', 'text')
    .addColumn('store_key', 'text')
    .addColumn('size', 'bigint')
    .addColumn('attempts', 'integer', number(0))
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema
    .createTable('project_imports')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).primaryKey())
    .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('store_key', 'text', required)
    .addColumn('overrides', 'text', required)
    .addColumn('replaces_path', 'text')
    .addColumn('attempts', 'integer', number(0))
    .execute()
  await db.schema.createIndex('project_imports_user').on('project_imports').column('user_id').execute()
}
