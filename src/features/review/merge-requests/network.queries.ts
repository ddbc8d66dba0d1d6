/** SQL for the fork network, within which merge requests are possible. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

/** Whether both are forks, or forks of forks, of one existing project; or one is a fork of the other. */
export async function areInOneNetwork(db: Db, one: number, other: number): Promise<boolean> {
  const { rows } = await sql<{ root: number }>`
    with recursive above (start, id, source_id) as (
      select id, id, forked_from_id from projects where id in (${one}, ${other})
      union
      select above.start, projects.id, projects.forked_from_id from projects join above on projects.id = above.source_id
    )
    select distinct id as root from above where source_id is null`.execute(db)
  return rows.length === 1
}
