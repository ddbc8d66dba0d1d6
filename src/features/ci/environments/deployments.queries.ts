/** SQL for deployments. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { CiDeployment, CiDeploymentTable, CiEnvironment, Instant } from '../../../db/tables.ts'

export interface DeploymentFilter {
  environment?: string | undefined
  status?: CiDeployment['status'] | undefined
  updated_after?: Instant | undefined
  updated_before?: Instant | undefined
  order_by: 'id' | 'iid' | 'created_at' | 'updated_at' | 'finished_at' | 'ref'
  sort: 'asc' | 'desc'
}

export function listDeployments(
  db: Db,
  project_id: number,
  { environment, status, updated_after, updated_before, order_by, sort }: DeploymentFilter,
  page: PageOf,
): Promise<{ rows: CiDeployment[]; total: number }> {
  let query = db.selectFrom('ci_deployments').selectAll().where('project_id', '=', project_id)
  if (status) query = query.where('status', '=', status)
  if (updated_after) query = query.where('updated_at', '>=', updated_after)
  if (updated_before) query = query.where('updated_at', '<=', updated_before)
  if (environment !== undefined) {
    query = query.where('environment_id', 'in', (eb) =>
      eb.selectFrom('ci_environments').select('id').where('project_id', '=', project_id).where('name', '=', environment),
    )
  }
  return paginate(query.orderBy(order_by, sort).orderBy('id', sort), page)
}

export async function deploymentAt(db: Db, project_id: number, id: number): Promise<CiDeployment | null> {
  const found = db.selectFrom('ci_deployments').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

export function deploymentsOfJobs(db: Db, job_ids: readonly number[]): Promise<CiDeployment[]> {
  return db
    .selectFrom('ci_deployments')
    .selectAll()
    .where(among(db, 'job_id', job_ids))
    .execute()
}

/** The newest successful deployment of each of these environments, which is its current state. */
export async function lastDeploymentsOf(db: Db, environment_ids: readonly number[]): Promise<Map<number, CiDeployment>> {
  if (environment_ids.length === 0) return new Map()
  const newest = db
    .selectFrom('ci_deployments')
    .select((eb) => eb.fn.max('id').as('id'))
    .where(among(db, 'environment_id', environment_ids))
    .where('status', '=', 'success')
    .groupBy('environment_id')
  const rows = await db.selectFrom('ci_deployments').selectAll().where('id', 'in', newest).execute()
  return new Map(rows.map((row) => [row.environment_id, row]))
}

/** The successful deployment of the same environment before this one. */
export async function deploymentBefore(db: Db, { id, environment_id }: CiDeployment): Promise<CiDeployment | null> {
  const found = db
    .selectFrom('ci_deployments')
    .selectAll()
    .where('environment_id', '=', environment_id)
    .where('status', '=', 'success')
    .where('id', '<', id)
    .orderBy('id', 'desc')
  return (await found.limit(1).executeTakeFirst()) ?? null
}

/** Available environments of the project whose newest successful deployment is of one of these branches. */
export async function environmentsOfBranches(db: Db, project_id: number, branches: readonly string[]): Promise<CiEnvironment[]> {
  return db
    .selectFrom('ci_environments')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('state', '=', 'available')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('ci_deployments')
          .select('ci_deployments.id')
          .whereRef('environment_id', '=', 'ci_environments.id')
          .where(among(db, 'ref', branches))
          .where('tag', '=', false)
          .where('status', '=', 'success')
          .where((of) =>
            of.not(
              of.exists(
                of
                  .selectFrom('ci_deployments as later')
                  .select('later.id')
                  .whereRef('later.environment_id', '=', 'ci_environments.id')
                  .whereRef('later.id', '>', 'ci_deployments.id')
                  .where('later.status', '=', 'success'),
              ),
            ),
          ),
      ),
    )
    .execute()
}

const rowsAtOnce = 500

export async function insertDeployments(db: Db, rows: Insertable<CiDeploymentTable>[]): Promise<CiDeployment[]> {
  const inserted: CiDeployment[] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const part = rows.slice(at, at + rowsAtOnce)
    inserted.push(...(await db.insertInto('ci_deployments').values(part).returningAll().execute()))
  }
  return inserted
}

/** @returns the changed rows, without those that were deleted meanwhile */
export async function updateDeployments(db: Db, ids: readonly number[], changes: Updateable<CiDeploymentTable>): Promise<CiDeployment[]> {
  if (ids.length === 0) return []
  return db
    .updateTable('ci_deployments')
    .set(changes)
    .where(among(db, 'id', ids))
    .returningAll()
    .execute()
}

export async function deleteDeployment(db: Db, id: number): Promise<void> {
  await db.deleteFrom('ci_deployments').where('id', '=', id).execute()
}
