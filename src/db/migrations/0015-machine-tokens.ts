/** Tokens of projects and groups, rotation of tokens, and deploy tokens. */
import { type Kysely, type Migration, sql } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const machineTokens: Migration = {
  async up(db) {
    await extendAccessTokens(db)
    await tableWithId(db, 'deploy_tokens')
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
      .addColumn('name', 'text', required)
      .addColumn('username', 'text')
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('scopes', 'text', required)
      .addColumn('expires_at', 'text')
      .addColumn('created_at', 'text', required)
      .execute()
    for (const table of ['access_tokens', 'deploy_tokens']) {
      await db.schema.createIndex(`${table}_project`).on(table).column('project_id').execute()
      await db.schema.createIndex(`${table}_namespace`).on(table).column('namespace_id').execute()
    }
  },
}

async function extendAccessTokens(db: Kysely<unknown>): Promise<void> {
  const tokens = () => db.schema.alterTable('access_tokens')
  await tokens().addColumn('description', 'text').execute()
  await tokens().addColumn('revoked_at', 'text').execute()
  await tokens().addColumn('project_id', 'bigint', refers('projects.id')).execute()
  await tokens().addColumn('namespace_id', 'bigint', refers('namespaces.id')).execute()
  await tokens().addColumn('access_level', 'integer').execute()
  await tokens().addColumn('family_id', 'bigint').execute()
  // The column held a day, and becomes an instant.
  await tokens().addColumn('last_used_at', 'text').execute()
  await sql`update access_tokens set last_used_at = last_used_on || 'T00:00:00.000Z' where last_used_on is not null`.execute(db)
  await tokens().dropColumn('last_used_on').execute()
}
