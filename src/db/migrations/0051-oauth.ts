/** OAuth 2.0: applications, the grants of users, authorization codes, and tokens. */
import type { Kysely, Migration } from 'kysely'
import { flag, refers, required, tableWithId } from './columns.ts'

export const oauth: Migration = {
  async up(db) {
    await createApplications(db)
    await createGrants(db)
    await createTokens(db)
    await db.schema
      .createTable('oauth_keys')
      .addColumn('id', 'text', (id) => id.primaryKey())
      .addColumn('private_key', 'text', required)
      .addColumn('created_at', 'text', required)
      .execute()
  },
}

async function createApplications(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'oauth_applications')
    .addColumn('uid', 'text', (uid) => uid.notNull().unique())
    .addColumn('secret_digest', 'text')
    .addColumn('name', 'text', required)
    .addColumn('redirect_uris', 'text', required)
    .addColumn('scopes', 'text', required)
    .addColumn('confidential', 'boolean', required)
    .addColumn('trusted', 'boolean', flag(false))
    .addColumn('registered', 'boolean', flag(false))
    .addColumn('owner_id', 'bigint', refers('users.id'))
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('oauth_applications_owner').on('oauth_applications').columns(['owner_id', 'id']).execute()
}

async function createGrants(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'oauth_grants')
    .addColumn('application_id', 'bigint', refers('oauth_applications.id'))
    .addColumn('user_id', 'bigint', refers('users.id'))
    .addColumn('scopes', 'text', required)
    .addColumn('nonce', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema.createIndex('oauth_grants_user').on('oauth_grants').columns(['user_id', 'application_id']).execute()
  await db.schema.createIndex('oauth_grants_application').on('oauth_grants').column('application_id').execute()
  await db.schema
    .createTable('oauth_codes')
    .addColumn('digest', 'text', (digest) => digest.primaryKey())
    .addColumn('grant_id', 'bigint', (id) => refers('oauth_grants.id')(id.notNull()))
    .addColumn('redirect_uri', 'text', required)
    .addColumn('challenge', 'text')
    .addColumn('challenge_method', 'text')
    .addColumn('expires_at', 'text', required)
    .addColumn('used_at', 'text')
    .execute()
  await db.schema.createIndex('oauth_codes_grant').on('oauth_codes').column('grant_id').execute()
  await db.schema.createIndex('oauth_codes_expiry').on('oauth_codes').column('expires_at').execute()
  await db.schema
    .createTable('oauth_device_codes')
    .addColumn('digest', 'text', (digest) => digest.primaryKey())
    .addColumn('user_code', 'text', (code) => code.notNull().unique())
    .addColumn('application_id', 'bigint', (id) => refers('oauth_applications.id')(id.notNull()))
    .addColumn('scopes', 'text', required)
    .addColumn('denied', 'boolean', flag(false))
    .addColumn('grant_id', 'bigint', refers('oauth_grants.id'))
    .addColumn('polled_at', 'text')
    .addColumn('expires_at', 'text', required)
    .execute()
  for (const column of ['application_id', 'grant_id', 'expires_at'])
    await db.schema.createIndex(`oauth_device_codes_${column}`).on('oauth_device_codes').column(column).execute()
}

async function createTokens(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'oauth_tokens')
    .addColumn('grant_id', 'bigint', (id) => refers('oauth_grants.id')(id.notNull()))
    .addColumn('digest', 'text', (digest) => digest.notNull().unique())
    .addColumn('refresh_digest', 'text', (digest) => digest.unique())
    .addColumn('scopes', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('expires_at', 'text', required)
    .addColumn('refreshed_at', 'text')
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('oauth_tokens_grant').on('oauth_tokens').column('grant_id').execute()
  await db.schema.createIndex('oauth_tokens_expiry').on('oauth_tokens').column('expires_at').execute()
}
