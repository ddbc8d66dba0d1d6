/** Access to repositories besides HTTP: SSH keys and large files, with the objects they are stored as. */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const roads: Migration = {
  async up(db) {
    await createKeys(db)
    await createObjects(db)
    await createLargeFiles(db)
  },
}

async function createKeys(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'ssh_keys')
    .addColumn('kind', 'text', required)
    .addColumn('user_id', 'bigint', refers('users.id'))
    .addColumn('creator_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('title', 'text', required)
    .addColumn('type', 'text', required)
    .addColumn('blob', 'text', required)
    .addColumn('comment', 'text', words(''))
    .addColumn('bits', 'integer', required)
    .addColumn('fingerprint_sha256', 'text', (column) => column.notNull().unique())
    .addColumn('fingerprint_md5', 'text', required)
    .addColumn('public', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('ssh_keys_user').on('ssh_keys').column('user_id').execute()
  await db.schema.createIndex('ssh_keys_creator').on('ssh_keys').column('creator_id').execute()
  await db.schema
    .createTable('deploy_key_projects')
    .addColumn('key_id', 'bigint', (column) => refers('ssh_keys.id')(column).notNull())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('can_push', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addPrimaryKeyConstraint('deploy_key_projects_key', ['key_id', 'project_id'])
    .execute()
  await db.schema.createIndex('deploy_key_projects_project').on('deploy_key_projects').column('project_id').execute()
}

async function createObjects(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('unreferenced_objects')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('remove_after', 'text', required)
    .execute()
  await db.schema.createIndex('unreferenced_objects_due').on('unreferenced_objects').column('remove_after').execute()
}

async function createLargeFiles(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lfs_objects')
    .addColumn('oid', 'text', (column) => column.primaryKey())
    .addColumn('size', 'bigint', required)
    .addColumn('store_key', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('orphaned_at', 'text')
    .execute()
  await db.schema.alterTable('projects').addColumn('lfs_objects_size', 'bigint', number(0)).execute()
  await db.schema
    .createTable('lfs_links')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('oid', 'text', (column) => refers('lfs_objects.oid', 'restrict')(column).notNull())
    .addColumn('created_at', 'text', required)
    .addPrimaryKeyConstraint('lfs_links_key', ['project_id', 'oid'])
    .execute()
  await db.schema.createIndex('lfs_links_object').on('lfs_links').column('oid').execute()
  await tableWithId(db, 'lfs_locks')
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('path', 'text', required)
    .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('lfs_locks_path', ['project_id', 'path'])
    .execute()
  await db.schema.createIndex('lfs_locks_user').on('lfs_locks').column('user_id').execute()
  await db.schema
    .createTable('lfs_tokens')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('key_id', 'bigint', (column) => refers('ssh_keys.id')(column).notNull())
    .addColumn('operation', 'text', required)
    .addColumn('expires_at', 'text', required)
    .execute()
  await db.schema.createIndex('lfs_tokens_due').on('lfs_tokens').column('expires_at').execute()
  await db.schema.createIndex('lfs_tokens_key').on('lfs_tokens').column('key_id').execute()
  await db.schema.createIndex('lfs_tokens_project').on('lfs_tokens').column('project_id').execute()
}
