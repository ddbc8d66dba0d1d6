/** SQL for parts of payloads. */
import type { Db } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { CiArtifact, CiEnvironment, CommitStatus, Issue, Label, MergeRequest, Pipeline, ReleaseLink } from '../../../db/tables.ts'

/** By title. */
export async function labelsByIds(db: Db, ids: readonly number[]): Promise<Label[]> {
  return db
    .selectFrom('labels')
    .selectAll()
    .where(among(db, 'id', ids))
    .orderBy('title')
    .orderBy('id')
    .execute()
}

/** The current people and labels of an issue. */
export async function relatedOfIssue(db: Db, { id }: Pick<Issue, 'id'>): Promise<{ assignee_ids: number[]; label_ids: number[] }> {
  const assignees = await db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', id).orderBy('user_id').execute()
  const labels = await db.selectFrom('issue_labels').select('label_id').where('issue_id', '=', id).orderBy('label_id').execute()
  return { assignee_ids: assignees.map(({ user_id }) => user_id), label_ids: labels.map(({ label_id }) => label_id) }
}

/** The current people and labels of a merge request. */
export async function relatedOfMergeRequest(db: Db, { id }: Pick<MergeRequest, 'id'>) {
  const of = { assignees: db.selectFrom('merge_request_assignees'), reviewers: db.selectFrom('merge_request_reviewers') }
  const assignees = await of.assignees.select('user_id').where('merge_request_id', '=', id).orderBy('user_id').execute()
  const reviewers = await of.reviewers.select('user_id').where('merge_request_id', '=', id).orderBy('user_id').execute()
  const labels = await db
    .selectFrom('merge_request_labels')
    .select('label_id')
    .where('merge_request_id', '=', id)
    .orderBy('label_id')
    .execute()
  return {
    assignee_ids: assignees.map(({ user_id }) => user_id),
    reviewer_ids: reviewers.map(({ user_id }) => user_id),
    label_ids: labels.map(({ label_id }) => label_id),
  }
}

export async function pipelineById(db: Db, id: number): Promise<Pipeline | null> {
  return (await db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export function statusesByIds(db: Db, ids: readonly number[]): Promise<CommitStatus[]> {
  return db
    .selectFrom('commit_statuses')
    .selectAll()
    .where(among(db, 'id', ids))
    .execute()
}

/** Payloads of larger pipelines only contain the first jobs. */
const maxJobs = 1_000

/** The newest attempt of each job of a pipeline, ordered by stage. */
export function jobsOf(db: Db, pipeline_id: number) {
  return db
    .selectFrom('commit_statuses')
    .innerJoin('ci_jobs', 'ci_jobs.id', 'commit_statuses.id')
    .selectAll('commit_statuses')
    .select('ci_jobs.when_to_run')
    .where('commit_statuses.pipeline_id', '=', pipeline_id)
    .where('commit_statuses.kind', '=', 'job')
    .where('commit_statuses.retried', '=', false)
    .orderBy('stage_idx')
    .orderBy('commit_statuses.id')
    .limit(maxJobs)
    .execute()
}

/** Artifacts that users and runners can see, keyed by job. */
export async function archivesOf(db: Db, job_ids: readonly number[]): Promise<Map<number, Pick<CiArtifact, 'filename' | 'size'>>> {
  const rows = await db
    .selectFrom('ci_artifacts')
    .select(['job_id', 'filename', 'size'])
    .where(among(db, 'job_id', job_ids))
    .where('file_type', '=', 'archive')
    .execute()
  return new Map(rows.map((row) => [row.job_id, row]))
}

export async function runnersByIds(db: Db, ids: readonly number[]) {
  const rows = await db
    .selectFrom('ci_runners')
    .select(['id', 'description', 'active', 'kind', 'tags'])
    .where(among(db, 'id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function environmentById(db: Db, id: number): Promise<CiEnvironment | null> {
  return (await db.selectFrom('ci_environments').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The environments that jobs deploy to or stop, keyed by job id. */
export async function environmentsOfJobs(db: Db, job_ids: readonly number[]) {
  const rows = await db
    .selectFrom('ci_jobs')
    .innerJoin('ci_environments', 'ci_environments.id', 'ci_jobs.environment_id')
    .select(['ci_jobs.id as job_id', 'ci_environments.name', 'ci_environments.tier as deployment_tier'])
    .where(among(db, 'ci_jobs.id', job_ids))
    .execute()
  return new Map(rows.map(({ job_id, ...environment }) => [job_id, environment]))
}

export function linksOfRelease(db: Db, release_id: number): Promise<ReleaseLink[]> {
  return db.selectFrom('release_links').selectAll().where('release_id', '=', release_id).orderBy('id', 'desc').execute()
}
