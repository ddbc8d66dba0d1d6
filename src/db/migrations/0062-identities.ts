/** Whether a user is blocked because a directory has removed or disabled them: only the directory unblocks them. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag } from './columns.ts'

export const identities: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('identities').addColumn('blocks', 'boolean', flag(false)).execute()
    // From now on distinguished names are looked up in lower case.
    await sql`
      update identities set extern_uid = lower(extern_uid)
      where provider like 'ldap%' and not exists (
        select 1 from identities as other where other.provider = identities.provider
          and other.extern_uid <> identities.extern_uid and lower(other.extern_uid) = lower(identities.extern_uid)
      )`.execute(db)
  },
}
