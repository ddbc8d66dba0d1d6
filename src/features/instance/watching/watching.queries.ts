/** SQL for versions of what pages display: texts that change with it. One statement for any number of things. */
import { createHash } from 'node:crypto'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'

export type Versions = (db: Db, ids: number[]) => Promise<Map<number, string>>

/** Versions of the code: they change with pushes and with commits made here. */
export const codeVersions: Versions = async (db, ids) => {
  const rows = await db.selectFrom('projects').select(['id', 'push_count']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, push_count }) => [id, String(push_count)]))
}

/** Versions of background work: import, export, requested housekeeping. */
export const workVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('project_exports', 'project_exports.project_id', 'projects.id')
    // Must match the key of the job in its feature.
    .leftJoin('jobs', (join) =>
      join.on('jobs.unique_key', '=', sql<string>`'asked housekeeping ' || projects.id`).on('jobs.state', '=', 'ready'),
    )
    .select([
      'projects.id',
      'import_status',
      'project_exports.state',
      'project_exports.attempts',
      'project_exports.size',
      'jobs.id as job_id',
    ])
    // Progress of an import, fork or export.
    .select((eb) =>
      eb
        .selectFrom('transfer_progress')
        .select((progress) => progress.fn.max('transfer_progress.updated_at').as('at'))
        .whereRef('transfer_progress.project_id', '=', 'projects.id')
        .as('progress'),
    )
    .where('projects.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ id, import_status, state, attempts, size, job_id, progress }) => [
      id,
      [import_status, state, attempts, size, job_id, progress].join('-'),
    ]),
  )
}

/** Whether internal notes count. Other notes that only some readers see, such as mentions in hidden places, never count. */
interface Reach {
  internal: boolean
}

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Notes visible to everyone who sees their noteable; on an issue, none that mention anything but public issues of the same project. */
function isForAll({ internal }: Reach) {
  return (eb: InNotes) =>
    eb.and([
      eb('notes.about_project_id', 'is', null),
      eb('notes.about_snippet_id', 'is', null),
      ...(internal ? [] : [eb('notes.internal', '=', false)]),
      eb.or([
        eb('notes.about_issue_id', 'is', null),
        eb.and([
          eb('notes.issue_id', 'is not', null),
          eb.exists(
            eb
              .selectFrom('issues as others')
              .select('others.id')
              .whereRef('others.id', '=', 'notes.about_issue_id')
              .whereRef('others.project_id', '=', 'notes.project_id')
              .where('others.confidential', '=', false),
          ),
        ]),
      ]),
      eb.or([
        eb('notes.about_merge_request_id', 'is', null),
        eb.and([
          eb('notes.merge_request_id', 'is not', null),
          eb.exists(
            eb
              .selectFrom('merge_requests as others')
              .select('others.id')
              .whereRef('others.id', '=', 'notes.about_merge_request_id')
              .whereRef('others.project_id', '=', 'notes.project_id'),
          ),
        ]),
      ]),
    ])
}

/** Versions of issues: they change with fields, notes, votes and links. Digests, as they are sent to everyone who sees the issue. */
export const issueVersions =
  (reach: Reach): Versions =>
  async (db, ids) => {
    const rows = await db
      .selectFrom('issues')
      .select(['issues.id', 'issues.updated_at'])
      .select((eb) => [
        eb
          .selectFrom('notes')
          .select((notes) => sql<string>`count(*) || ' ' || coalesce(max(${notes.ref('notes.updated_at')}), '')`.as('version'))
          .whereRef('notes.issue_id', '=', 'issues.id')
          .where((notes) => isForAll(reach)(notes as never))
          .as('notes'),
        eb
          .selectFrom('award_emoji')
          .select((awards) => sql<string>`count(*) || ' ' || coalesce(max(${awards.ref('award_emoji.id')}), 0)`.as('version'))
          .whereRef('award_emoji.issue_id', '=', 'issues.id')
          .as('awards'),
        eb
          .selectFrom('issue_links')
          .select((links) => sql<string>`count(*) || ' ' || coalesce(max(${links.ref('issue_links.id')}), 0)`.as('version'))
          .innerJoin('issues as sources', 'sources.id', 'issue_links.source_id')
          .innerJoin('issues as targets', 'targets.id', 'issue_links.target_id')
          .whereRef('sources.project_id', '=', 'targets.project_id')
          .where('sources.confidential', '=', false)
          .where('targets.confidential', '=', false)
          .where((link) =>
            link.or([link('issue_links.source_id', '=', link.ref('issues.id')), link('issue_links.target_id', '=', link.ref('issues.id'))]),
          )
          .as('links'),
      ])
      .where('issues.id', 'in', ids)
      .execute()
    return new Map(rows.map(({ id, updated_at, notes, awards, links }) => [id, digestOf([updated_at, notes, awards, links])]))
  }

/**
 * Versions of merge requests: they change with fields, notes, votes, approvals, versions, and the tips of both branches at the last check.
 */
export const mergeRequestVersions =
  (reach: Reach): Versions =>
  async (db, ids) => {
    const rows = await db
      .selectFrom('merge_requests')
      .select(['merge_requests.id', 'merge_requests.updated_at', 'state', 'merge_status', 'checked_source_oid', 'checked_target_oid'])
      .select((eb) => [
        eb
          .selectFrom('notes')
          .select((notes) => sql<string>`count(*) || ' ' || coalesce(max(${notes.ref('notes.updated_at')}), '')`.as('version'))
          .whereRef('notes.merge_request_id', '=', 'merge_requests.id')
          .where((notes) => isForAll(reach)(notes as never))
          .as('notes'),
        eb
          .selectFrom('award_emoji')
          .select((awards) => sql<string>`count(*) || ' ' || coalesce(max(${awards.ref('award_emoji.id')}), 0)`.as('version'))
          .whereRef('award_emoji.merge_request_id', '=', 'merge_requests.id')
          .as('awards'),
        eb
          .selectFrom('approvals')
          .select((given) => sql<string>`count(*) || ' ' || coalesce(max(${given.ref('approvals.created_at')}), '')`.as('version'))
          .whereRef('approvals.merge_request_id', '=', 'merge_requests.id')
          .as('approved'),
        eb
          .selectFrom('merge_request_versions')
          .select((versions) => versions.fn.max('merge_request_versions.id').as('version'))
          .whereRef('merge_request_versions.merge_request_id', '=', 'merge_requests.id')
          .as('newest'),
      ])
      .where('merge_requests.id', 'in', ids)
      .execute()
    return new Map(rows.map(({ id, ...row }) => [id, digestOf(Object.values(row))]))
  }

/** Versions of the list of pipelines of a project: the last change of unfinished ones, and the newest one. */
export const pipelineListVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .select((eb) => [
      eb
        .selectFrom('pipelines')
        .select((all) => all.fn.max('pipelines.id').as('newest'))
        .whereRef('pipelines.project_id', '=', 'projects.id')
        .as('newest'),
      eb
        .selectFrom('pipelines')
        .select((open) => sql<string>`count(*) || ' ' || coalesce(max(${open.ref('pipelines.updated_at')}), '')`.as('open'))
        .whereRef('pipelines.project_id', '=', 'projects.id')
        .where('pipelines.status', 'in', ['created', 'waiting_for_resource', 'pending', 'running'])
        .as('open'),
    ])
    .where('projects.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, newest, open }) => [id, digestOf([newest, open])]))
}

/** Versions of the queues of a project: what waits in them, the pipelines that test it, and what was added last. */
export const mergeTrainVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('merge_train_cars as car', (join) => join.onRef('car.project_id', '=', 'projects.id').on('car.merged_at', 'is', null))
    .leftJoin('pipelines', 'pipelines.id', 'car.pipeline_id')
    .select('projects.id')
    .select(({ fn }) => [
      fn.count<number>('car.id').as('waiting'),
      fn.max('car.id').as('newest'),
      fn.max('car.updated_at').as('changed'),
      fn.max('pipelines.updated_at').as('tested'),
    ])
    .where('projects.id', 'in', ids)
    .groupBy('projects.id')
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, digestOf(Object.values(row))]))
}

/** Versions of pipelines: their own state, and those of their jobs. */
export const pipelineVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('pipelines')
    .select(['pipelines.id', 'pipelines.status', 'pipelines.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('commit_statuses')
        .select((jobs) => sql<string>`count(*) || ' ' || coalesce(max(${jobs.ref('commit_statuses.updated_at')}), '')`.as('jobs'))
        .whereRef('commit_statuses.pipeline_id', '=', 'pipelines.id')
        .as('jobs'),
    )
    .where('pipelines.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, digestOf(Object.values(row))]))
}

/** Versions of jobs: their state, the length of their trace, and their artifacts. */
export const jobVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('commit_statuses')
    .leftJoin('ci_traces', 'ci_traces.job_id', 'commit_statuses.id')
    .select(['commit_statuses.id', 'commit_statuses.status', 'commit_statuses.retried', 'ci_traces.shown'])
    .select((eb) =>
      eb
        .selectFrom('ci_artifacts')
        .select((left) => left.fn.max('ci_artifacts.id').as('artifact'))
        .whereRef('ci_artifacts.job_id', '=', 'commit_statuses.id')
        .as('artifact'),
    )
    .where('commit_statuses.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, digestOf(Object.values(row))]))
}

/** A version that tells nothing of its parts. */
export function digestOf(parts: unknown[]): string {
  return createHash('sha256').update(parts.join('|')).digest('base64url').slice(0, 22)
}
