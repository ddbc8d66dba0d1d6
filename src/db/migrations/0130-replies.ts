/** Replies to mail: what a message can be replied to with, and the messages that have arrived, so that each is handled once. */
import type { Kysely, Migration } from 'kysely'
import { number, required } from './columns.ts'

export const replies: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('mail_contents').addColumn('thread', 'text').execute()
    await db.schema
      .createTable('received_mails')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', required)
      .addColumn('attempts', 'integer', number(0))
      .addColumn('received_at', 'text', required)
      .execute()
    await db.schema.createIndex('received_mails_received').on('received_mails').column('received_at').execute()
  },
}
