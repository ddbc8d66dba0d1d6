/** SQL that reads merge requests, their versions, and all notes for archives, as lines of the format. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { mergeRequestsOf, namedBy, type PlanningRow, type Read } from './noteables.queries.ts'
import type { PlanningTable } from './planning-format.ts'

type ReviewTable = Extract<PlanningTable, `merge_request${string}` | 'approvals' | 'notes' | 'suggestions'>

function ofPersons(table: 'merge_request_reviewers' | 'approvals', more: readonly 'state'[] = []): Read {
  return (db, project_id, after, limit, afterSecond) =>
    db
      .selectFrom(table)
      .select(['merge_request_id as row_id', 'user_id as row_second', 'merge_request_id as merge_request', 'user_id as person'])
      .select(['created_at', ...more])
      .where('merge_request_id', 'in', mergeRequestsOf(db, project_id))
      .where((eb) => eb(eb.refTuple('merge_request_id', 'user_id'), '>', eb.tuple(after, afterSecond)))
      .orderBy('merge_request_id')
      .orderBy('user_id')
      .limit(limit)
      .execute()
}

function ofVersions(table: 'merge_request_version_files' | 'merge_request_version_commits', columns: string[]): Read {
  return (db, project_id, after, limit, afterSecond) =>
    db
      .selectFrom(table)
      .select(['version_id as row_id', 'position as row_second', 'version_id as version', 'position'])
      .select(columns as ['old_path'])
      .where('version_id', 'in', versionsOf(db, project_id))
      .where((eb) => eb(eb.refTuple('version_id', 'position'), '>', eb.tuple(after, afterSecond)))
      .orderBy('version_id')
      .orderBy('position')
      .limit(limit)
      .execute()
}

function versionsOf(db: Db, project_id: number) {
  return db
    .selectFrom('merge_request_versions')
    .select('merge_request_versions.id')
    .where('merge_request_versions.merge_request_id', 'in', mergeRequestsOf(db, project_id))
}

export const readReview: Record<ReviewTable, Read> = {
  merge_requests: readMergeRequests,
  merge_request_reviewers: ofPersons('merge_request_reviewers', ['state']),
  approvals: ofPersons('approvals'),
  merge_request_versions: (db, project_id, after, limit) =>
    db
      .selectFrom('merge_request_versions')
      .select(['id as row_id', 'id', 'merge_request_id as merge_request', 'base_oid', 'start_oid', 'head_oid', 'state', 'real_size'])
      .select(['files', 'additions', 'deletions', 'commits', 'created_at'])
      .where('merge_request_id', 'in', mergeRequestsOf(db, project_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  merge_request_version_files: ofVersions('merge_request_version_files', [
    ...['old_path', 'new_path', 'old_mode', 'new_mode', 'old_oid', 'new_oid'],
    ...['status', 'additions', 'deletions'],
  ]),
  merge_request_version_commits: ofVersions('merge_request_version_commits', ['oid']),
  notes: readNotes,
  suggestions: (db, project_id, after, limit) =>
    db
      .selectFrom('suggestions')
      .select(['id as row_id', 'note_id as note', 'position', 'from_content', 'to_content', 'lines_above', 'lines_below'])
      .select(['applied', 'commit_oid'])
      .where('note_id', 'in', db.selectFrom('notes').select('notes.id').where('notes.project_id', '=', project_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
}

async function readMergeRequests(db: Db, project_id: number, after: number, limit: number): Promise<PlanningRow[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['id as row_id', 'id', 'iid', 'author_id as author', 'source_project_id', 'source_branch', 'target_branch', 'title'])
    .select(['description', 'state', 'discussion_locked', 'milestone_id as milestone', 'allow_collaboration', 'squash'])
    .select(['force_remove_source_branch', 'head_oid', 'merge_commit_oid', 'squash_commit_oid', 'merged_by_id as merged_by', 'merged_at'])
    .select(['closed_by_id as closed_by', 'closed_at', 'time_estimate', 'total_time_spent', 'last_edited_by_id as last_edited_by'])
    .select(['last_edited_at', 'created_at', 'updated_at'])
    .where('project_id', '=', project_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const by = 'merge_request_id'
  const assignees = await namedBy(db, { table: 'merge_request_assignees', by, column: 'user_id' }, ids)
  const mentioned = await namedBy(db, { table: 'merge_request_mentions', by, column: 'user_id' }, ids)
  const labels = await namedBy(db, { table: 'merge_request_labels', by, column: 'label_id' }, ids)
  const closes = await namedBy(db, { table: 'merge_request_closes', by, column: 'issue_id' }, ids)
  return rows.map(({ source_project_id, state, ...row }) => ({
    ...row,
    own_source: source_project_id === project_id,
    // A merge under way may still fail.
    state: state === 'locked' ? 'opened' : state,
    assignees: assignees(row.id),
    mentioned: mentioned(row.id),
    labels: labels(row.id),
    closes: closes(row.id),
  }))
}

async function readNotes(db: Db, project_id: number, after: number, limit: number): Promise<PlanningRow[]> {
  const rows = await db
    .selectFrom('notes')
    .select([
      'id as row_id',
      'id',
      'issue_id as issue',
      'merge_request_id as merge_request',
      'snippet_id as snippet',
      'author_id as author',
    ])
    .select(['discussion_id as discussion', 'opens_discussion', 'type', 'body', 'system', 'system_action'])
    .select(['about_issue_id as about_issue', 'about_merge_request_id as about_merge_request', 'about_snippet_id as about_snippet'])
    .select(['internal', 'line_code', 'commit_oid'])
    .select(['original_position', 'position', 'outdated_by', 'resolved_at', 'resolved_by_id as resolved_by', 'resolved_by_push'])
    .select(['last_edited_by_id as last_edited_by', 'created_at', 'updated_at'])
    .where('project_id', '=', project_id)
    .where((eb) =>
      eb.or((['issue_id', 'merge_request_id', 'snippet_id', 'commit_oid'] as const).map((column) => eb(column, 'is not', null))),
    )
    // References to the code of another project are not exported: an archive can't know who may see them.
    .where((eb) => eb.or([eb('about_project_id', 'is', null), eb('about_project_id', '=', sql.lit(project_id))]))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    original_position: parsed(row.original_position),
    position: parsed(row.position),
    outdated_by: row.outdated_by === null ? null : { change: parsed(row.outdated_by) },
  }))
}

function parsed(position: string | null): unknown {
  return position === null ? null : JSON.parse(position)
}
