/** Sizes of the states of Terraform and of the secure files of projects, which quotas count like their packages. */
import { type Kysely, type Migration, sql } from 'kysely'
import { capabilitiesOf } from '../engine/capabilities.ts'
import { type Counted, triggersOf } from './0093-quotas.ts'
import { number } from './columns.ts'

const counted: Counted[] = [
  {
    table: 'terraform_versions',
    column: 'terraform_states_size',
    project: (row) => `(select project_id from terraform_states where id = ${row}.state_id)`,
    sum: `select sum(size) from terraform_versions join terraform_states on terraform_states.id = terraform_versions.state_id
      where terraform_states.project_id = stored_sizes.project_id`,
  },
  {
    table: 'secure_files',
    column: 'secure_files_size',
    project: (row) => `${row}.project_id`,
    sum: 'select sum(size) from secure_files where secure_files.project_id = stored_sizes.project_id',
  },
]

export const sealedSizes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`insert into stored_sizes (project_id) select id from projects
      where not exists (select 1 from stored_sizes where project_id = projects.id)`.execute(db)
    for (const one of counted) {
      await db.schema.alterTable('stored_sizes').addColumn(one.column, 'bigint', number(0)).execute()
      await sql.raw(`update stored_sizes set ${one.column} = coalesce((${one.sum}), 0)`).execute(db)
      for (const statement of triggersOf(one, capabilitiesOf(db).appendsCounts)) await sql.raw(statement).execute(db)
    }
  },
}
