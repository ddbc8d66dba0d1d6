/** Invitations by mail: memberships for whoever opens the link in a message. */
import { type Kysely, type Migration, sql } from 'kysely'
import { refers, required, tableWithId } from './columns.ts'

export const invitations: Migration = {
  async up(db: Kysely<unknown>) {
    await tableWithId(db, 'invitations')
      .addColumn('project_id', 'bigint', refers('projects.id'))
      .addColumn('namespace_id', 'bigint', refers('namespaces.id'))
      .addColumn('email', 'text', required)
      .addColumn('access_level', 'integer', required)
      .addColumn('expires_at', 'text')
      .addColumn('token_digest', 'text', required)
      .addColumn('sealed_token', 'text', required)
      .addColumn('created_by_id', 'bigint', refers('users.id', 'set null'))
      .addColumn('created_at', 'text', required)
      .addColumn('ends_at', 'text', required)
      .addCheckConstraint('invitations_one_place', sql`(project_id is null) <> (namespace_id is null)`)
      .execute()
    const index = (name: string, columns: string[]) => db.schema.createIndex(`invitations_${name}`).on('invitations').columns(columns)
    await index('token', ['token_digest']).unique().execute()
    await index('at_project', ['project_id', 'email']).unique().where('project_id', 'is not', null).execute()
    await index('at_group', ['namespace_id', 'email']).unique().where('namespace_id', 'is not', null).execute()
    await index('creator', ['created_by_id']).execute()
    await index('end', ['ends_at']).execute()
  },
}
