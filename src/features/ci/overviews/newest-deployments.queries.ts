/** SQL for the latest deployments on pages. */
import type { Db } from '../../../db/database.ts'
import type { CiDeployment } from '../../../db/tables.ts'

/** The newest deployment of each of these environments, in any status. */
export async function newestDeploymentsOf(db: Db, environment_ids: readonly number[]): Promise<Map<number, CiDeployment>> {
  if (environment_ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('ci_deployments')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('ci_deployments as newest')
        .select((of) => of.fn.max('newest.id').as('id'))
        .where('newest.environment_id', 'in', environment_ids)
        .groupBy('newest.environment_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.environment_id, row]))
}
