/** Headers and parts of the URL that a webhook is given by name, and a quick way to payloads that are still to be made. */
import { type Migration, sql } from 'kysely'

export const hookValues: Migration = {
  async up(db) {
    for (const column of ['custom_headers', 'url_variables']) await db.schema.alterTable('hooks').addColumn(column, 'text').execute()
    await db.schema.createIndex('hook_payloads_to_make').on('hook_payloads').column('id').where(sql.ref('body'), 'is', null).execute()
  },
}
