/** SQL for pipelines. */
import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Instant, Pipeline, PipelineTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'
import type { GivenVariable } from './request.ts'

export function insertPipelineRow(tx: Tx, row: Insertable<PipelineTable>): Promise<Pipeline> {
  return tx.insertInto('pipelines').values(row).returningAll().executeTakeFirstOrThrow()
}

/** If a key occurs several times, the last one counts. */
export async function insertVariables(
  tx: Tx,
  pipeline_id: number,
  variables: readonly GivenVariable[],
  seal: (value: string) => string,
): Promise<void> {
  const byKey = new Map(variables.map((variable) => [variable.key, variable]))
  const rows = Array.from(byKey.values(), ({ key, value, kind, raw }) => ({ pipeline_id, key, value: seal(value), kind, raw }))
  for (let from = 0; from < rows.length; from += 1_000)
    await tx
      .insertInto('ci_pipeline_variables')
      .values(rows.slice(from, from + 1_000))
      .execute()
}

export async function insertDownstream(tx: Tx, pipeline_id: number, job_id: number): Promise<void> {
  await tx.insertInto('ci_downstream_pipelines').values({ pipeline_id, job_id }).execute()
}

/** The ids of the resource groups with these keys, which are created if they are missing. */
export async function resourceGroupsOf(tx: Tx, project_id: number, keys: ReadonlySet<string>, at: Instant): Promise<Map<string, number>> {
  if (keys.size === 0) return new Map()
  const rows = Array.from(keys, (key) => ({ project_id, key, created_at: at, updated_at: at }))
  await tx
    .insertInto('ci_resource_groups')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .execute()
  const found = await tx
    .selectFrom('ci_resource_groups')
    .select(['id', 'key'])
    .where('project_id', '=', project_id)
    .where('key', 'in', [...keys])
    .execute()
  return new Map(found.map(({ id, key }) => [key, id]))
}

/** Whether a push already has its pipeline, since its job may run twice. */
export async function hasPipelineSince(
  db: Db,
  { project_id, ref, sha, tag, at }: { project_id: number; ref: string; sha: string; tag: boolean; at: Instant },
) {
  const found = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('sha', '=', sha)
    .where('tag', '=', tag)
    .where('source', '=', 'push')
    .where('created_at', '>=', at)
    .executeTakeFirst()
  return found !== undefined
}

/** How many pipelines the user has had of this commit since then; those that other pipelines started are left out. */
export async function countSince(
  db: Db,
  { project_id, user_id, sha }: { project_id: number; user_id: number; sha: string },
  since: Instant,
): Promise<number> {
  const { number } = await db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.countAll<number>().as('number'))
    .where('project_id', '=', project_id)
    .where('sha', '=', sha)
    .where('user_id', '=', user_id)
    .where('source', 'not in', ['pipeline', 'parent_pipeline'])
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(number)
}

export async function findPipeline(db: Db, project_id: number, id: number): Promise<Pipeline | null> {
  const found = await db.selectFrom('pipelines').selectAll().where('project_id', '=', project_id).where('id', '=', id).executeTakeFirst()
  return found ?? null
}

/** The rows with these ids, in any order. */
export function pipelinesByIds(db: Db, ids: readonly number[]): Promise<Pipeline[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('pipelines')
        .selectAll()
        .where(among(db, 'id', ids))
        .execute()
}

/** Null if there is none, or the user was deleted. */
export async function starterOf(db: Db, { user_id }: Pick<Pipeline, 'user_id'>): Promise<UserInBrief | null> {
  if (user_id === null) return null
  const found = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'kind', 'avatar_name'])
    .where('id', '=', user_id)
    .executeTakeFirst()
  return found ?? null
}

/** The newest pipeline of a commit on this ref. Child pipelines don't count, since their parent represents them. */
export async function latestOf(db: Db, place: { project_id: number; ref: string; sha: string }): Promise<Pipeline | null> {
  const { project_id, ref, sha } = place
  const found = await db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('sha', '=', sha)
    .where('source', '<>', 'parent_pipeline')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return found ?? null
}

/** Sealed. */
export function variablesOf(db: Db, pipeline_id: number) {
  return db.selectFrom('ci_pipeline_variables').selectAll().where('pipeline_id', '=', pipeline_id).orderBy('key').execute()
}

export async function renamePipeline(db: Db, id: number, name: string | null): Promise<Pipeline | null> {
  return (await db.updateTable('pipelines').set({ name }).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** The pipelines that the bridges of this one started in the same project. */
export async function childrenOf(db: Db, { id, project_id }: Pick<Pipeline, 'id' | 'project_id'>): Promise<Pipeline[]> {
  return db
    .selectFrom('ci_downstream_pipelines')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'ci_downstream_pipelines.job_id')
    .innerJoin('pipelines', 'pipelines.id', 'ci_downstream_pipelines.pipeline_id')
    .selectAll('pipelines')
    .where('ci_jobs.pipeline_id', '=', id)
    .where('pipelines.project_id', '=', project_id)
    .execute()
}

export async function jobIdsOf(db: Db, pipeline_ids: readonly number[]): Promise<number[]> {
  const rows = await db.selectFrom('ci_jobs').select('id').where('pipeline_id', 'in', pipeline_ids).execute()
  return rows.map(({ id }) => id)
}

export async function deletePipelines(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('pipelines').where('id', 'in', ids).execute()
}

/** Older, unfinished pipelines of the same ref for other commits; none if the project keeps them. */
export async function outdatedBy(db: Db, pipeline_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines as newer')
    .innerJoin('projects', 'projects.id', 'newer.project_id')
    .innerJoin('pipelines', (join) => join.onRef('pipelines.project_id', '=', 'newer.project_id').onRef('pipelines.ref', '=', 'newer.ref'))
    .select('pipelines.id')
    .where('newer.id', '=', pipeline_id)
    .where('projects.auto_cancel_pending_pipelines', '=', 'enabled')
    .whereRef('pipelines.id', '<', 'newer.id')
    .whereRef('pipelines.sha', '<>', 'newer.sha')
    .whereRef('pipelines.tag', '=', 'newer.tag')
    .where('pipelines.source', 'not in', ['parent_pipeline', 'external'])
    .where('pipelines.status', 'in', ['created', 'waiting_for_resource', 'pending', 'running', 'manual', 'scheduled'])
    .execute()
  return rows.map(({ id }) => id)
}

/** With the path of its project; null if it was deleted. */
export async function placedPipeline(db: Db, id: number): Promise<(Pipeline & { full_path: string }) | null> {
  const found = await db
    .selectFrom('pipelines')
    .innerJoin('routes', 'routes.project_id', 'pipelines.project_id')
    .selectAll('pipelines')
    .select('routes.path as full_path')
    .where('pipelines.id', '=', id)
    .executeTakeFirst()
  return found ?? null
}
