/** SQL for files that jobs upload: archives, reports, and their keys in the object store. */
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CiArtifact, CiArtifactTable } from '../../../db/tables.ts'
import { shortRevision } from '../../../git/refs/names.ts'

/** The artifacts of all these jobs, oldest first: one statement. */
export async function artifactsOfJobs(db: Db, job_ids: readonly number[]): Promise<CiArtifact[]> {
  if (job_ids.length === 0) return []
  return db.selectFrom('ci_artifacts').selectAll().where('job_id', 'in', job_ids).orderBy('id').execute()
}

export async function artifactOf(db: Db, job_id: number, file_type: string): Promise<CiArtifact | null> {
  const found = await db
    .selectFrom('ci_artifacts')
    .selectAll()
    .where('job_id', '=', job_id)
    .where('file_type', '=', file_type)
    .executeTakeFirst()
  return found ?? null
}

export async function insertArtifact(tx: Db, row: Insertable<CiArtifactTable>): Promise<void> {
  await tx.insertInto('ci_artifacts').values(row).execute()
}

/** The project's id; null if there is no such job. */
export async function projectOfJob(db: Db, job_id: number): Promise<number | null> {
  return (await db.selectFrom('ci_jobs').select('project_id').where('id', '=', job_id).executeTakeFirst())?.project_id ?? null
}

export async function updateJobRow(
  tx: Db,
  job_id: number,
  fields: { artifacts_expire_at?: string | null; dotenv?: string | null },
): Promise<void> {
  if (Object.keys(fields).length > 0) await tx.updateTable('ci_jobs').set(fields).where('id', '=', job_id).execute()
}

/** Removes the expiry. */
export async function keepForEver(tx: Db, job_id: number): Promise<void> {
  await tx.updateTable('ci_artifacts').set({ expires_at: null }).where('job_id', '=', job_id).execute()
  await tx.updateTable('ci_jobs').set({ artifacts_expire_at: null }).where('id', '=', job_id).execute()
}

/** Deletes the rows, and returns the keys of their objects. */
export async function deleteArtifactsOf(tx: Db, job_ids: readonly number[]): Promise<string[]> {
  if (job_ids.length === 0) return []
  const rows = await tx.deleteFrom('ci_artifacts').where('job_id', 'in', job_ids).returning('store_key').execute()
  return rows.map(({ store_key }) => store_key)
}

/** As `deleteArtifactsOf`, for all finished jobs of a project, up to `limit`. */
export async function deleteArtifactsOfProject(tx: Db, project_id: number, limit: number): Promise<string[]> {
  const some = tx
    .selectFrom('ci_artifacts')
    .innerJoin('commit_statuses', 'commit_statuses.id', 'ci_artifacts.job_id')
    .select('ci_artifacts.id')
    .where('ci_artifacts.project_id', '=', project_id)
    .where('commit_statuses.status', '<>', 'running')
    .limit(limit)
  const rows = await tx.deleteFrom('ci_artifacts').where('id', 'in', some).returning('store_key').execute()
  return rows.map(({ store_key }) => store_key)
}

/** The newest successful pipeline of each ref: its artifacts are kept if the project keeps the latest ones. */
function keptAsLatest(db: Db) {
  return db
    .selectFrom('commit_statuses')
    .innerJoin('pipelines', 'pipelines.id', 'commit_statuses.pipeline_id')
    .innerJoin('projects', 'projects.id', 'pipelines.project_id')
    .select('commit_statuses.id')
    .where('projects.keep_latest_artifact', '=', true)
    .where('pipelines.status', '=', 'success')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('pipelines as newer')
            .select('newer.id')
            .whereRef('newer.project_id', '=', 'pipelines.project_id')
            .whereRef('newer.ref', '=', 'pipelines.ref')
            .where('newer.status', '=', 'success')
            .whereRef('newer.id', '>', 'pipelines.id'),
        ),
      ),
    )
}

/** Whether the artifacts of the job are kept although they have expired. */
export async function isKeptAsLatest(db: Db, job_id: number): Promise<boolean> {
  return (await keptAsLatest(db).where('commit_statuses.id', '=', job_id).executeTakeFirst()) !== undefined
}

/** Jobs whose artifacts have expired and can be deleted, ordered by id. */
export async function jobsWithExpired(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ci_artifacts')
    .select('job_id')
    .distinct()
    .where('expires_at', '<=', now())
    .where('job_id', '>', after)
    .where((eb) => eb.not(eb.exists(keptAsLatest(db).where('commit_statuses.id', '=', sql.ref<number>('ci_artifacts.job_id')))))
    .orderBy('job_id')
    .limit(limit)
    .execute()
  return rows.map(({ job_id }) => job_id)
}

export async function deleteExpiredOf(tx: Db, job_id: number): Promise<string[]> {
  const rows = await tx
    .deleteFrom('ci_artifacts')
    .where('job_id', '=', job_id)
    .where('expires_at', '<=', now())
    .returning('store_key')
    .execute()
  return rows.map(({ store_key }) => store_key)
}

/**
 * The job with this name in the newest successful pipeline of a branch or tag; null if it has no such job with an archive.
 * @param ref a name, or the full name if a branch and a tag have the same name
 */
export async function latestJobWithArchive(db: Db, project_id: number, ref: string, name: string): Promise<number | null> {
  const pipeline = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project_id)
    .where('ref', '=', shortRevision(ref))
    .$if(ref !== shortRevision(ref), (query) => query.where('tag', '=', ref.startsWith('refs/tags/')))
    .where('status', '=', 'success')
    .where('source', '<>', 'external')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!pipeline) return null
  const job = await db
    .selectFrom('commit_statuses')
    .innerJoin('ci_artifacts', 'ci_artifacts.job_id', 'commit_statuses.id')
    .select('commit_statuses.id')
    .where('commit_statuses.pipeline_id', '=', pipeline.id)
    .where('commit_statuses.name', '=', name)
    .where('commit_statuses.retried', '=', false)
    .where('ci_artifacts.file_type', '=', 'archive')
    .executeTakeFirst()
  return job?.id ?? null
}
