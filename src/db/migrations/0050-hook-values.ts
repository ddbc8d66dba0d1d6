/** Custom headers and URL variables of webhooks, and an index of payloads that are still to be built. */
import { type Migration, sql } from 'kysely'

export const hookValues: Migration = {
  async up(db) {
    for (const column of ['custom_headers', 'url_variables']) await db.schema.alterTable('hooks').addColumn(column, 'text').execute()
    await db.schema.createIndex('hook_payloads_to_make').on('hook_payloads').column('id').where(sql.ref('body'), 'is', null).execute()
  },
}
