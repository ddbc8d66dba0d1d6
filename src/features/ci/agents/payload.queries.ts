/** SQL for the parts of a job's payload that are not in its plan. */
import type { Db } from '../../../db/database.ts'
import { prepared } from '../../../db/prepared-queries.ts'
import type { CiEnvironment, MergeRequest, User } from '../../../db/tables.ts'
import { requestFactsOf } from '../predefined/predefined.ts'

export interface StoredPipelineVariable {
  key: string
  /** Sealed. */
  value: string
  kind: 'env_var' | 'file'
  raw: boolean
}

export const pipelineVariables = prepared((db: Db, pipeline_id: number) =>
  db.selectFrom('ci_pipeline_variables').select(['key', 'value', 'kind', 'raw']).where('pipeline_id', '=', pipeline_id).orderBy('key'),
)

/** The current jobs of a pipeline, with what they reported (`dotenv`, sealed). */
export const earlierJobs = prepared((db: Db, pipeline_id: number) =>
  db
    .selectFrom('commit_statuses')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .select(['commit_statuses.id', 'commit_statuses.name', 'commit_statuses.stage_idx', 'ci_jobs.dotenv', 'ci_jobs.artifacts_expire_at'])
    .where('commit_statuses.pipeline_id', '=', pipeline_id)
    .where('commit_statuses.kind', '=', 'job')
    .where('commit_statuses.retried', '=', false)
    .orderBy('commit_statuses.id'),
)

/** The successful job with this name in a pipeline of the project; null if there is none. */
export async function succeededJobOf(
  db: Db,
  { project_id, pipeline_id, name }: { project_id: number; pipeline_id: number; name: string },
): Promise<number | null> {
  const found = await db
    .selectFrom('commit_statuses')
    .select('id')
    .where('project_id', '=', project_id)
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('kind', '=', 'job')
    .where('status', '=', 'success')
    .where('retried', '=', false)
    .executeTakeFirst()
  return found?.id ?? null
}

/** Sealed. */
export async function updateJobTokens(db: Db, job_id: number, id_tokens: string): Promise<void> {
  await db.updateTable('ci_jobs').set({ id_tokens }).where('id', '=', job_id).execute()
}

const userRow = prepared((db: Db, id: number) => db.selectFrom('users').selectAll().where('id', '=', id))

/** The rows that a job refers to by nullable ids: its user, the merge request, the environment. */
export async function surroundings(
  db: Db,
  ids: { user_id: number | null; merge_request_id: number | null; environment_id: number | null; schedule_id: number | null },
): Promise<{
  user: User | null
  merge_request: MergeRequest | null
  source_path: string | null
  environment: CiEnvironment | null
  schedule_description: string | null
}> {
  const one = async <T>(id: number | null, find: (id: number) => Promise<T | undefined>) =>
    id === null ? null : ((await find(id)) ?? null)
  return {
    user: await one(ids.user_id, async (id) => (await userRow(db, id))[0]),
    ...(await requestFactsOf(db, ids)),
    environment: await one(ids.environment_id, (id) =>
      db.selectFrom('ci_environments').selectAll().where('id', '=', id).executeTakeFirst(),
    ),
    schedule_description: await one(
      ids.schedule_id,
      async (id) => (await db.selectFrom('ci_schedules').select('description').where('id', '=', id).executeTakeFirst())?.description,
    ),
  }
}
