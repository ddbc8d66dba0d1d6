/** SQL that reads planning for archives, as lines of the format with ids of this instance. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { issuesOf, mergeRequestsOf, namedBy, type PlanningRow, type Read, snippetsOf } from './noteables.queries.ts'
import type { PlanningTable } from './planning-format.ts'
import { readReview } from './review.queries.ts'

export type { PlanningRow } from './noteables.queries.ts'

function onNoteables(table: 'time_logs' | 'label_events' | 'milestone_events' | 'state_events', db: Db, project_id: number) {
  return db
    .selectFrom(table as 'time_logs')
    .where((eb) => eb.or([eb('issue_id', 'in', issuesOf(db, project_id)), eb('merge_request_id', 'in', mergeRequestsOf(db, project_id))]))
    .select(['id as row_id', 'issue_id as issue', 'merge_request_id as merge_request', 'user_id as person', 'created_at'])
}

function changes(table: 'label_events' | 'milestone_events' | 'state_events', named: string | null): Read {
  return (db, project_id, after, limit) =>
    onNoteables(table, db, project_id)
      .select(sql<string>`action`.as('action'))
      .$if(named !== null, (query) => query.select(sql<number | null>`${sql.ref(`${named}_id`)}`.as(named as 'label')))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
}

export const readPlanning: Record<PlanningTable, Read> = {
  labels: (db, project_id, after, limit) =>
    db
      .selectFrom('labels')
      .leftJoin('label_priorities', (join) =>
        join.onRef('label_priorities.label_id', '=', 'labels.id').on('label_priorities.project_id', '=', project_id),
      )
      .select(['labels.id as row_id', 'labels.id', 'title', 'color', 'description', 'priority', 'created_at', 'updated_at'])
      .select((eb) => eb('labels.project_id', 'is', null).as('inherited'))
      .where((eb) => eb.or([eb('labels.project_id', '=', project_id), eb('labels.id', 'in', labelsUsedIn(db, project_id))]))
      .where('labels.id', '>', after)
      .orderBy('labels.id')
      .limit(limit)
      .execute()
      .then(withFlags),
  milestones: (db, project_id, after, limit) =>
    db
      .selectFrom('milestones')
      .select(['id as row_id', 'id', 'iid', 'title', 'description', 'state', 'start_date', 'due_date', 'closed_at'])
      .select(['created_at', 'updated_at'])
      .select((eb) => eb('project_id', 'is', null).as('inherited'))
      .where((eb) => {
        const usedBy = (table: 'issues' | 'merge_requests') =>
          db.selectFrom(table).select('milestone_id').where('project_id', '=', project_id).where('milestone_id', 'is not', null)
        return eb.or([
          eb('project_id', '=', project_id),
          eb('id', 'in', usedBy('issues') as never),
          eb('id', 'in', usedBy('merge_requests') as never),
          eb('id', 'in', milestonesOfReleases(db, project_id).select('release_milestones.milestone_id')),
        ])
      })
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
      .then(withFlags),
  release_milestones: (db, project_id, after, limit, afterSecond) =>
    milestonesOfReleases(db, project_id)
      .select(['release_id as row_id', 'milestone_id as row_second', 'release_id as release', 'milestone_id as milestone'])
      .where((eb) => eb(eb.refTuple('release_id', 'milestone_id'), '>', eb.tuple(after, afterSecond)))
      .orderBy('release_id')
      .orderBy('milestone_id')
      .limit(limit)
      .execute(),
  issues: readIssues,
  ...readReview,
  snippets: (db, project_id, after, limit) =>
    db
      .selectFrom('snippets')
      .select(['id as row_id', 'id', 'author_id as author', 'title', 'description', 'visibility', 'created_at', 'updated_at'])
      .where('project_id', '=', project_id)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  snippet_files: (db, project_id, after, limit) =>
    db
      .selectFrom('snippet_files')
      .select(['id as row_id', 'snippet_id as snippet', 'position', 'path', 'content'])
      .where('snippet_id', 'in', snippetsOf(db, project_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  award_emoji: (db, project_id, after, limit) =>
    db
      .selectFrom('award_emoji')
      .select(['id as row_id', 'issue_id as issue', 'merge_request_id as merge_request', 'snippet_id as snippet', 'note_id as note'])
      .select(['user_id as person', 'name', 'created_at', 'updated_at'])
      .where((eb) => {
        const notes = db.selectFrom('notes').select('notes.id').where('notes.project_id', '=', project_id)
        return eb.or([
          eb('issue_id', 'in', issuesOf(db, project_id)),
          eb('merge_request_id', 'in', mergeRequestsOf(db, project_id)),
          eb('snippet_id', 'in', snippetsOf(db, project_id)),
          eb('note_id', 'in', notes),
        ])
      })
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  issue_links: (db, project_id, after, limit) =>
    db
      .selectFrom('issue_links')
      .select(['id as row_id', 'source_id as source', 'target_id as target', 'link_type', 'created_at', 'updated_at'])
      .where('source_id', 'in', issuesOf(db, project_id))
      .where('target_id', 'in', issuesOf(db, project_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  subscriptions: (db, project_id, after, limit) =>
    db
      .selectFrom('subscriptions')
      .select(['id as row_id', 'issue_id as issue', 'merge_request_id as merge_request', 'label_id as label', 'user_id as person'])
      .select(['subscribed', 'created_at'])
      .where((eb) =>
        eb.or([
          eb('issue_id', 'in', issuesOf(db, project_id)),
          eb('merge_request_id', 'in', mergeRequestsOf(db, project_id)),
          eb('project_id', '=', project_id),
        ]),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  time_logs: (db, project_id, after, limit) =>
    onNoteables('time_logs', db, project_id)
      .select(['time_spent', 'spent_at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  label_events: changes('label_events', 'label'),
  milestone_events: changes('milestone_events', 'milestone'),
  state_events: changes('state_events', null),
  boards: (db, project_id, after, limit) =>
    db
      .selectFrom('boards')
      .select(['id as row_id', 'id', 'name', 'hide_backlog_list', 'hide_closed_list', 'created_at', 'updated_at'])
      .where('project_id', '=', project_id)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  board_lists: (db, project_id, after, limit) =>
    db
      .selectFrom('board_lists')
      .select(['id as row_id', 'board_id as board', 'label_id as label', 'position', 'created_at', 'updated_at'])
      .where('board_id', 'in', db.selectFrom('boards').select('boards.id').where('boards.project_id', '=', project_id))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  events: (db, project_id, after, limit) =>
    db
      .selectFrom('events')
      .select(['id as row_id', 'author_id as person', 'action', 'target_type', 'issue_id as issue', 'merge_request_id as merge_request'])
      .select(['snippet_id as snippet', 'note_id as note', 'milestone_id as milestone', 'created_at'])
      .where('project_id', '=', project_id)
      .where('target_type', 'is not', null)
      // The commits of the wiki tell of its pages.
      .where('target_type', '!=', 'WikiPage')
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  internal_ids: (db, project_id, after, limit) =>
    db
      .selectFrom('internal_ids')
      .select(['id as row_id', 'kind', 'last_value'])
      .where('project_id', '=', project_id)
      .where('kind', 'in', ['issue', 'merge_request', 'milestone'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
}

/** SQLite has no booleans: an expression is a number there. */
function withFlags<R extends { inherited: unknown }>(rows: R[]): Array<R & { inherited: boolean }> {
  return rows.map((row) => ({ ...row, inherited: Boolean(row.inherited) }))
}

function milestonesOfReleases(db: Db, project_id: number) {
  const releases = db.selectFrom('releases').select('releases.id').where('releases.project_id', '=', project_id)
  return db.selectFrom('release_milestones').where('release_milestones.release_id', 'in', releases)
}

/** Labels of groups above that issues, merge requests, board lists or priorities of the project use. */
function labelsUsedIn(db: Db, project_id: number) {
  return db
    .selectFrom('issue_labels')
    .select('issue_labels.label_id')
    .where('issue_labels.issue_id', 'in', issuesOf(db, project_id))
    .union(
      db
        .selectFrom('board_lists')
        .select('board_lists.label_id')
        .where('board_lists.board_id', 'in', db.selectFrom('boards').select('boards.id').where('boards.project_id', '=', project_id)),
    )
    .union(
      db
        .selectFrom('merge_request_labels')
        .select('merge_request_labels.label_id')
        .where('merge_request_labels.merge_request_id', 'in', mergeRequestsOf(db, project_id)),
    )
    .union(db.selectFrom('label_priorities as ranked').select('ranked.label_id').where('ranked.project_id', '=', project_id))
}

async function readIssues(db: Db, project_id: number, after: number, limit: number): Promise<PlanningRow[]> {
  const issues = await db
    .selectFrom('issues')
    .select(['id as row_id', 'id', 'iid', 'author_id as author', 'title', 'description', 'state', 'confidential', 'discussion_locked'])
    .select(['milestone_id as milestone', 'due_date', 'time_estimate', 'total_time_spent', 'relative_position'])
    .select(['duplicated_to_id as duplicated_to', 'closed_by_id as closed_by', 'closed_at'])
    .select(['last_edited_by_id as last_edited_by', 'last_edited_at', 'created_at', 'updated_at'])
    .where('project_id', '=', project_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  if (issues.length === 0) return []
  const ids = issues.map(({ id }) => id)
  const assignees = await namedBy(db, { table: 'issue_assignees', by: 'issue_id', column: 'user_id' }, ids)
  const mentioned = await namedBy(db, { table: 'issue_mentions', by: 'issue_id', column: 'user_id' }, ids)
  const labels = await namedBy(db, { table: 'issue_labels', by: 'issue_id', column: 'label_id' }, ids)
  return issues.map((issue) => ({ ...issue, assignees: assignees(issue.id), mentioned: mentioned(issue.id), labels: labels(issue.id) }))
}
