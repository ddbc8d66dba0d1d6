/** Columns for the page of connected chats: the name of the team, and when the connection was last used. */
import type { Kysely, Migration } from 'kysely'

export const chatNames: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('chat_names').addColumn('team_domain', 'text').execute()
    await db.schema.alterTable('chat_names').addColumn('last_used_at', 'text').execute()
  },
}
