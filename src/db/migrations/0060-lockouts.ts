/**
 * Growing locks after wrong passwords; the networks that users have signed in from, which outlive their sessions; and request counts that
 * several servers on one database share.
 */
import { type Kysely, type Migration, sql } from 'kysely'
import { number, refers, required } from './columns.ts'

export const lockouts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('sign_in_failures').addColumn('lockouts', 'integer', number(0)).execute()
    await db.schema
      .createTable('known_networks')
      .addColumn('user_id', 'bigint', (column) => refers('users.id')(column).notNull())
      .addColumn('network', 'text', required)
      .addColumn('used_at', 'text', required)
      .addPrimaryKeyConstraint('known_networks_pk', ['user_id', 'network'])
      .execute()
    await db.schema
      .createTable('request_counts')
      .addColumn('server', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('key', 'text', required)
      .addColumn('ends_s', 'bigint', required)
      .addColumn('count', 'bigint', required)
      .addPrimaryKeyConstraint('request_counts_pk', ['server', 'name', 'key'])
      .execute()
    await db.schema.createIndex('request_counts_key').on('request_counts').column('key').execute()
    await db.schema.createIndex('request_counts_end').on('request_counts').column('ends_s').execute()
    // An IPv6 address isn't the name of its /64 network: such users are recognized again when they sign in next.
    await sql`
      insert into known_networks (user_id, network, used_at)
      select user_id, address, max(created_at) from sessions
      where address is not null and impersonator_id is null and address not like '%:%'
      group by user_id, address`.execute(db)
  },
}
