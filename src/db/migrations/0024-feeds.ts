/** Tokens of feeds, and an index for lists of projects by their stars. */
import { randomBytes } from 'node:crypto'
import { type Migration, sql } from 'kysely'

export const feeds: Migration = {
  async up(db) {
    await db.schema.alterTable('users').addColumn('feed_token', 'text').execute()
    const people = await sql<{ id: number }>`select id from users where kind = 'human' order by id`.execute(db)
    for (const { id } of people.rows) {
      await sql`update users set feed_token = ${`gstft-${randomBytes(20).toString('hex')}`} where id = ${id}`.execute(db)
    }
    await db.schema.createIndex('users_feed_token').on('users').column('feed_token').unique().execute()
    await db.schema.createIndex('projects_star_count').on('projects').columns(['star_count', 'id', 'visibility', 'namespace_id']).execute()
  },
}
