/** Groups that require a second factor of their members, and whose members are those of groups of the directory. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'

export const groupSecondFactor: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('namespaces').addColumn('require_two_factor_authentication', 'boolean', flag(false)).execute()
    await db.schema.alterTable('namespaces').addColumn('two_factor_grace_period', 'integer', number(48)).execute()
    // Each use of a session asks whether there is one at all.
    await db.schema
      .createIndex('namespaces_requiring_second_factor')
      .on('namespaces')
      .column('id')
      .where(sql<boolean>`require_two_factor_authentication`)
      .execute()
    await tableWithId(db, 'ldap_group_links')
      .addColumn('namespace_id', 'bigint', (column) => refers('namespaces.id')(column.notNull()))
      .addColumn('provider', 'text', required)
      .addColumn('cn', 'text', words(''))
      .addColumn('filter', 'text', words(''))
      .addColumn('group_access', 'integer', required)
      .addColumn('created_at', 'text', required)
      .execute()
    await db.schema
      .createIndex('ldap_group_links_in_group')
      .unique()
      .on('ldap_group_links')
      .columns(['namespace_id', 'provider', 'cn', 'filter'])
      .execute()
  },
}
