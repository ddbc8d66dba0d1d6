/** Serial jobs: at most one job of each key has an owner, whichever process claims it. */
import { type Kysely, type Migration, sql } from 'kysely'

export const serialJobs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('jobs').addColumn('serial_key', 'text').execute()
    await db.schema.createIndex('jobs_serial').on('jobs').columns(['serial_key', 'id']).where('serial_key', 'is not', null).execute()
    await db.schema
      .createIndex('jobs_serial_running')
      .unique()
      .on('jobs')
      .column('serial_key')
      .where(sql.ref('owner'), 'is not', null)
      .execute()
    await db.schema.createIndex('jobs_running').on('jobs').column('asked_by').where(sql.ref('owner'), 'is not', null).execute()
  },
}
