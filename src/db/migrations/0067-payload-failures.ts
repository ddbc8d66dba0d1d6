/** How often building the payload of a webhook failed, so that it is not retried forever. */
import type { Kysely, Migration } from 'kysely'
import { number } from './columns.ts'

export const payloadFailures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('hook_payloads').addColumn('failures', 'integer', number(0)).execute()
    await db.schema.alterTable('hook_payloads').addColumn('retry_at', 'text').execute()
  },
}
