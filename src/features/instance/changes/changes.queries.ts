/** SQL for versions of what pages show: texts that differ once it has changed. One statement for any number of them. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'

export type Versions = (db: Db, ids: number[]) => Promise<Map<number, string>>

/** Of the code: pushes, and commits made here. */
export const codeVersions: Versions = async (db, ids) => {
  const rows = await db.selectFrom('projects').select(['id', 'push_count']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, push_count }) => [id, String(push_count)]))
}

/** Of work in the background: import, export, housekeeping on request. */
export const workVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('project_exports', 'project_exports.project_id', 'projects.id')
    // The key of the job, as the feature gives it.
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
    // How far an import, fork or export is.
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

/**
 * Of issues: their fields, notes, votes and links. A digest, as it is sent to all who see the issue, and not all of them see each
 * of its notes.
 */
export const issueVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('issues')
    .select(['issues.id', 'issues.updated_at'])
    .select((eb) => [
      eb
        .selectFrom('notes')
        .select((notes) => sql<string>`count(*) || ' ' || coalesce(max(${notes.ref('notes.updated_at')}), '')`.as('version'))
        .whereRef('notes.issue_id', '=', 'issues.id')
        .as('notes'),
      eb
        .selectFrom('award_emoji')
        .select((awards) => sql<string>`count(*) || ' ' || coalesce(max(${awards.ref('award_emoji.id')}), 0)`.as('version'))
        .whereRef('award_emoji.issue_id', '=', 'issues.id')
        .as('awards'),
      eb
        .selectFrom('issue_links')
        .select((links) => sql<string>`count(*) || ' ' || coalesce(max(${links.ref('issue_links.id')}), 0)`.as('version'))
        .where((link) =>
          link.or([link('issue_links.source_id', '=', link.ref('issues.id')), link('issue_links.target_id', '=', link.ref('issues.id'))]),
        )
        .as('links'),
    ])
    .where('issues.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, updated_at, notes, awards, links }) => [id, digestOf([updated_at, notes, awards, links])]))
}

/** Of merge requests: their fields, notes, votes, approvals and versions, and where both branches were at the last look. */
export const mergeRequestVersions: Versions = async (db, ids) => {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['merge_requests.id', 'merge_requests.updated_at', 'state', 'merge_status', 'checked_source_oid', 'checked_target_oid'])
    .select((eb) => [
      eb
        .selectFrom('notes')
        .select((notes) => sql<string>`count(*) || ' ' || coalesce(max(${notes.ref('notes.updated_at')}), '')`.as('version'))
        .whereRef('notes.merge_request_id', '=', 'merge_requests.id')
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

function digestOf(parts: unknown[]): string {
  return createHash('sha256').update(parts.join('|')).digest('base64url').slice(0, 22)
}
