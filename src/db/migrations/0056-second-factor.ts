/** Second factors: authenticator apps, passkeys, recovery codes; sign-ins that wait for one; remembered sessions. */
import type { Kysely, Migration } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const secondFactor: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('two_factor_enabled', 'boolean', flag(false)).execute()
    await db.schema.alterTable('users').addColumn('two_factor_asked_at', 'text').execute()
    await db.schema.alterTable('sessions').addColumn('is_remembered', 'boolean', flag(false)).execute()
    await db.schema.alterTable('sessions').addColumn('skips_second_factor', 'boolean', flag(false)).execute()
    await createFactors(db)
    await db.schema
      .createTable('pending_sign_ins')
      .addColumn('digest', 'text', (digest) => digest.primaryKey())
      .addColumn('user_id', 'bigint', (id) => refers('users.id')(id.notNull()))
      .addColumn('return_to', 'text', required)
      .addColumn('is_remembered', 'boolean', required)
      .addColumn('challenge', 'text', required)
      .addColumn('expires_at', 'text', required)
      .execute()
    await db.schema.createIndex('pending_sign_ins_user').on('pending_sign_ins').column('user_id').execute()
    await db.schema.createIndex('pending_sign_ins_expiry').on('pending_sign_ins').column('expires_at').execute()
  },
}

async function createFactors(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('totp_factors')
    .addColumn('user_id', 'bigint', (id) => refers('users.id')(id.primaryKey()))
    .addColumn('secret', 'text', required)
    .addColumn('last_counter', 'bigint', number(0))
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'bigint', (id) => refers('users.id')(id.notNull()))
    .addColumn('digest', 'text', required)
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'digest'])
    .execute()
  await tableWithId(db, 'passkeys')
    .addColumn('user_id', 'bigint', (id) => refers('users.id')(id.notNull()))
    .addColumn('name', 'text', required)
    .addColumn('credential_id', 'text', (id) => id.notNull().unique())
    .addColumn('public_key', 'text', required)
    .addColumn('counter', 'bigint', number(0))
    .addColumn('transports', 'text', words(''))
    .addColumn('created_at', 'text', required)
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute()
}
