/** Events with what lists show of them: their authors, places and targets. */
import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { EventAction, EventTable, Instant, NoteTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

export interface ListedEvent {
  id: number
  project_id: number
  project_path: string
  /** Its origin, which the first event of a project shows. */
  project_import: { forked_from_id: number | null; import_status: string; import_url: string | null }
  action: EventAction
  target_type: EventTable['target_type']
  ref: string | null
  before_oid: string | null
  after_oid: string | null
  commit_count: number | null
  commit_title: string | null
  issue: { id: number; iid: number; title: string } | null
  merge_request: { id: number; iid: number; title: string } | null
  snippet: { id: number; title: string } | null
  milestone: { id: number; iid: number; title: string } | null
  /** As it was called then. */
  wiki_page: { slug: string; title: string; format: string } | null
  note: ListedNote | null
  created_at: Instant
  author: UserInBrief
}

export interface ListedNote {
  id: number
  type: NoteTable['type']
  body: string
  internal: boolean
  /** The commit that the note is on, if it is on one. */
  commit_oid: string | null
  updated_at: Instant
}

/** @param max_chars how much of a note is read; null for all of it */
export function eventRows(db: Db, max_chars: number | null) {
  const read = (column: string) =>
    max_chars === null ? sql<string | null>`${sql.ref(column)}` : sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(max_chars)})`
  return db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .innerJoin('routes', 'routes.project_id', 'events.project_id')
    .innerJoin('users', 'users.id', 'events.author_id')
    .leftJoin('issues', 'issues.id', 'events.issue_id')
    .leftJoin('merge_requests', 'merge_requests.id', 'events.merge_request_id')
    .leftJoin('snippets', 'snippets.id', 'events.snippet_id')
    .leftJoin('notes', 'notes.id', 'events.note_id')
    .leftJoin('milestones', 'milestones.id', 'events.milestone_id')
    .select([
      'events.id',
      'events.project_id',
      'events.action',
      'events.target_type',
      'events.ref',
      'events.before_oid',
      'events.after_oid',
      'events.commit_count',
      'events.commit_title',
      'events.created_at',
      'events.issue_id',
      'events.merge_request_id',
      'events.snippet_id',
      'events.note_id',
      'events.milestone_id',
      'events.wiki_slug',
      'events.wiki_title',
      'events.wiki_format',
    ])
    .select(['routes.path as project_path', 'projects.forked_from_id', 'projects.import_status', 'projects.import_url'])
    .select(['users.id as user_id', 'users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .select(['issues.iid as issue_iid', 'issues.title as issue_title'])
    .select(['merge_requests.iid as merge_request_iid', 'merge_requests.title as merge_request_title'])
    .select('snippets.title as snippet_title')
    .select(['milestones.iid as milestone_iid', 'milestones.title as milestone_title'])
    .select(['notes.type as note_type', 'notes.internal as note_internal', 'notes.updated_at as note_updated_at'])
    .select([read('notes.body').as('note_body'), 'notes.commit_oid as note_commit_oid'])
}

type EventRow = Awaited<ReturnType<ReturnType<typeof eventRows>['execute']>>[number]

export function eventOf(row: EventRow): ListedEvent {
  const { merge_request_id, merge_request_iid, merge_request_title } = row
  const { snippet_id, snippet_title } = row
  const { issue_id, issue_iid, issue_title, milestone_id, milestone_iid, milestone_title } = row
  return {
    id: row.id,
    project_id: row.project_id as number,
    project_path: row.project_path,
    project_import: { forked_from_id: row.forked_from_id, import_status: row.import_status, import_url: row.import_url },
    action: row.action,
    target_type: row.target_type,
    ref: row.ref,
    before_oid: row.before_oid,
    after_oid: row.after_oid,
    commit_count: row.commit_count,
    commit_title: row.commit_title,
    issue: issue_id === null || issue_iid === null ? null : { id: issue_id, iid: issue_iid, title: issue_title ?? '' },
    merge_request:
      merge_request_id === null || merge_request_iid === null
        ? null
        : { id: merge_request_id, iid: merge_request_iid, title: merge_request_title ?? '' },
    snippet: snippet_id === null ? null : { id: snippet_id, title: snippet_title ?? '' },
    milestone:
      milestone_id === null || milestone_iid === null ? null : { id: milestone_id, iid: milestone_iid, title: milestone_title ?? '' },
    wiki_page: row.wiki_slug === null ? null : { slug: row.wiki_slug, title: row.wiki_title ?? '', format: row.wiki_format ?? '' },
    note: noteOf(row),
    created_at: row.created_at,
    author: {
      id: row.user_id,
      name: row.name,
      username: row.username,
      state: row.state,
      kind: row.kind,
      avatar_name: row.avatar_name,
    },
  }
}

function noteOf({ note_id, note_type, note_body, note_internal, note_commit_oid, note_updated_at }: EventRow): ListedNote | null {
  if (note_id === null || note_updated_at === null) return null
  return {
    id: note_id,
    type: note_type,
    body: note_body ?? '',
    internal: note_internal ?? false,
    commit_oid: note_commit_oid,
    updated_at: note_updated_at,
  }
}
