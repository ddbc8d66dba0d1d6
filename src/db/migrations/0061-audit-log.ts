/** The audit log: who changed what, kept even after the people and things in it are deleted. */
import type { Kysely, Migration } from 'kysely'
import { required, tableWithId, words } from './columns.ts'

export const auditLog: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'audit_events')
      .addColumn('event_name', 'text', required)
      .addColumn('author_id', 'bigint')
      .addColumn('author_name', 'text', required)
      .addColumn('entity_type', 'text', required)
      .addColumn('entity_id', 'bigint')
      .addColumn('entity_path', 'text', required)
      .addColumn('target_type', 'text', required)
      .addColumn('target_id', 'bigint')
      .addColumn('target_details', 'text', required)
      .addColumn('details', 'text', words('{}'))
      .addColumn('ip_address', 'text')
      .addColumn('created_at', 'text', required)
      .execute()
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`audit_events_${name}`).on('audit_events').columns(columns).execute()
    await index('entity', ['entity_type', 'entity_id', 'id'])
    await index('author', ['author_id', 'id'])
    await index('created', ['created_at', 'id'])
  },
}
