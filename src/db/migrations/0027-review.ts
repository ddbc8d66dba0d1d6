/** Review: merge requests, the versions of their diffs, approvals, and planning for merge requests. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'
import { moveCommentsToNotes } from './commit-notes.ts'
import { createMergeRequestLists } from './issue-lists.ts'

const ofMergeRequest = refers('merge_requests.id')
const ofUser = refers('users.id')

export const review: Migration = {
  async up(db) {
    await addProjectSettings(db)
    await createMergeRequests(db)
    await createMergeRequestLists(db)
    await createPeople(db)
    await createVersions(db)
    await openPlanningToMergeRequests(db)
    await positionNotes(db)
    await moveCommentsToNotes(db)
    await createReviews(db)
  },
}

async function addProjectSettings(db: Kysely<unknown>): Promise<void> {
  for (const column of ['merge_commit_template', 'squash_commit_template', 'suggestion_commit_message'])
    await db.schema.alterTable('projects').addColumn(column, 'text').execute()
  await db.schema.alterTable('projects').addColumn('squash_option', 'text', words('default_off')).execute()
  await db.schema.alterTable('projects').addColumn('remove_source_branch_after_merge', 'boolean', flag(false)).execute()
}

async function createMergeRequests(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'merge_requests')
    .addColumn('iid', 'bigint', required)
    .addColumn('project_id', 'bigint', (column) => refers('projects.id')(column).notNull())
    .addColumn('source_project_id', 'bigint', refers('projects.id', 'set null'))
    .addColumn('source_branch', 'text', required)
    .addColumn('target_branch', 'text', required)
    .addColumn('author_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
    .addColumn('title', 'text', required)
    .addColumn('description', 'text')
    .addColumn('state', 'text', words('opened'))
    .addColumn('draft', 'boolean', flag(false))
    .addColumn('discussion_locked', 'boolean')
    .addColumn('milestone_id', 'bigint', refers('milestones.id', 'set null'))
    .addColumn('allow_collaboration', 'boolean', flag(false))
    .addColumn('squash', 'boolean', flag(false))
    .addColumn('force_remove_source_branch', 'boolean', flag(false))
    // The tips when mergeability was last checked, and the result.
    .addColumn('head_oid', 'text')
    .addColumn('merge_status', 'text', words('unchecked'))
    .addColumn('checked_source_oid', 'text')
    .addColumn('checked_target_oid', 'text')
    // Requests that are pending, such as an automatic merge.
    .addColumn('merge_when_pipeline_succeeds', 'boolean', flag(false))
    .addColumn('merge_user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('merge_params', 'text')
    // While the merge request is locked: the commit to which the target branch is about to move, with related data.
    .addColumn('merge_under_way', 'text')
    .addColumn('merge_error', 'text')
    .addColumn('rebase_oid', 'text')
    .addColumn('merge_commit_oid', 'text')
    .addColumn('squash_commit_oid', 'text')
    .addColumn('merged_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('merged_at', 'text')
    .addColumn('closed_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('closed_at', 'text')
    .addColumn('time_estimate', 'bigint', number(0))
    .addColumn('total_time_spent', 'bigint', number(0))
    .addColumn('last_edited_at', 'text')
    .addColumn('last_edited_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('user_notes_count', 'integer', number(0))
    .addColumn('upvotes', 'integer', number(0))
    .addColumn('downvotes', 'integer', number(0))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('merge_requests_iid', ['project_id', 'iid'])
    .execute()
  // Only one may be open between two branches at a time.
  await sql`create unique index merge_requests_open on merge_requests (source_project_id, source_branch, project_id, target_branch)
    where state in ('opened', 'locked')`.execute(db)
  for (const column of ['head_oid', 'merge_commit_oid', 'squash_commit_oid']) await index(db, 'merge_requests', column)
  for (const column of ['milestone_id', 'merge_user_id', 'merged_by_id', 'closed_by_id', 'last_edited_by_id'])
    await index(db, 'merge_requests', column)
  await db.schema.createIndex('merge_requests_of_source').on('merge_requests').columns(['source_project_id', 'source_branch']).execute()
  await db.schema.createIndex('merge_requests_of_target').on('merge_requests').columns(['project_id', 'target_branch', 'state']).execute()
}

async function createPeople(db: Kysely<unknown>): Promise<void> {
  for (const [table, others] of [
    ['merge_request_assignees', []],
    ['merge_request_reviewers', ['created_at']],
    ['approvals', ['created_at']],
    ['merge_request_mentions', []],
  ] as const) {
    const base = db.schema
      .createTable(table)
      .addColumn('merge_request_id', 'bigint', (column) => ofMergeRequest(column).notNull())
      .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['merge_request_id', 'user_id'])
    const withInstant = others.length > 0 ? base.addColumn('created_at', 'text', required) : base
    await (table === 'merge_request_mentions' ? withInstant.addColumn('internal', 'boolean', flag(false)) : withInstant).execute()
    await index(db, table, 'user_id')
  }
  // The result of each reviewer's last review.
  await db.schema
    .alterTable('merge_request_reviewers')
    .addColumn('state', 'text', (column) => column.notNull().defaultTo('unreviewed'))
    .execute()
  for (const [table, column, target] of [
    ['merge_request_labels', 'label_id', 'labels.id'],
    // The issues that a merge request closes, as stated in its description and commits.
    ['merge_request_closes', 'issue_id', 'issues.id'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn('merge_request_id', 'bigint', (build) => ofMergeRequest(build).notNull())
      .addColumn(column, 'bigint', (build) => refers(target)(build).notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['merge_request_id', column])
      .execute()
    await index(db, table, column)
  }
}

/** For each version of a diff, the ids, numbers and paths are stored; git has the patches. */
async function createVersions(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'merge_request_versions')
    .addColumn('merge_request_id', 'bigint', (column) => ofMergeRequest(column).notNull())
    .addColumn('base_oid', 'text')
    .addColumn('start_oid', 'text', required)
    .addColumn('head_oid', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('real_size', 'text', required)
    .addColumn('files', 'integer', number(0))
    .addColumn('additions', 'integer', number(0))
    .addColumn('deletions', 'integer', number(0))
    .addColumn('commits', 'integer', number(0))
    .addColumn('created_at', 'text', required)
    .execute()
  await db.schema.createIndex('versions_of_merge_request').on('merge_request_versions').columns(['merge_request_id', 'id']).execute()
  const ofVersion = refers('merge_request_versions.id')
  await db.schema
    .createTable('merge_request_version_files')
    .addColumn('version_id', 'bigint', (column) => ofVersion(column).notNull())
    .addColumn('position', 'integer', required)
    .addColumn('old_path', 'text', required)
    .addColumn('new_path', 'text', required)
    .addColumn('old_mode', 'text', required)
    .addColumn('new_mode', 'text', required)
    .addColumn('old_oid', 'text', required)
    .addColumn('new_oid', 'text', required)
    .addColumn('status', 'text', required)
    // Null for a binary file.
    .addColumn('additions', 'integer')
    .addColumn('deletions', 'integer')
    .addPrimaryKeyConstraint('merge_request_version_files_key', ['version_id', 'position'])
    .execute()
  await db.schema
    .createTable('merge_request_version_commits')
    .addColumn('version_id', 'bigint', (column) => ofVersion(column).notNull())
    .addColumn('position', 'integer', required)
    .addColumn('oid', 'text', required)
    .addPrimaryKeyConstraint('merge_request_version_commits_key', ['version_id', 'position'])
    .execute()
  await index(db, 'merge_request_version_commits', 'oid')
  // Moved branches whose new version has not been created yet.
  await tableWithId(db, 'pending_versions')
    .addColumn('merge_request_id', 'bigint', (column) => ofMergeRequest(column).notNull())
    .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('head_oid', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  for (const column of ['merge_request_id', 'user_id']) await index(db, 'pending_versions', column)
}

/** Planning tables name a merge request by a column beside that of an issue, and a commit by its project and id. */
async function openPlanningToMergeRequests(db: Kysely<unknown>): Promise<void> {
  const tables = [
    'notes',
    'award_emoji',
    'todos',
    'subscriptions',
    'time_logs',
    'label_events',
    'milestone_events',
    'state_events',
    'events',
  ]
  for (const table of tables) await db.schema.alterTable(table).addColumn('merge_request_id', 'bigint', ofMergeRequest).execute()
  await db.schema.alterTable('notes').addColumn('about_merge_request_id', 'bigint', ofMergeRequest).execute()
  for (const table of ['notes', 'todos']) await db.schema.alterTable(table).addColumn('commit_oid', 'text').execute()
  await index(db, 'notes', 'about_merge_request_id')
  for (const [name, columns] of [
    ['notes_of_merge_request_by_author', ['merge_request_id', 'author_id']],
    ['notes_of_merge_request', ['merge_request_id', 'created_at', 'id']],
    ['notes_of_merge_request_by_updated_at', ['merge_request_id', 'updated_at', 'id']],
    ['discussions_of_merge_request', ['merge_request_id', 'opens_discussion', 'created_at', 'id']],
    ['notes_of_commit', ['commit_oid', 'project_id', 'created_at', 'id']],
  ] as const)
    await db.schema
      .createIndex(name)
      .on('notes')
      .columns([...columns])
      .execute()
  const unique = async (name: string, table: string, columns: string, where = '') =>
    sql.raw(`create unique index ${name} on ${table} (${columns})${where}`).execute(db)
  await unique('award_emoji_on_merge_request', 'award_emoji', 'merge_request_id, user_id, name, left_by_id')
  await unique('subscriptions_to_merge_request', 'subscriptions', 'merge_request_id, user_id')
  await unique('todos_pending_on_merge_request', 'todos', 'user_id, merge_request_id', ` where state = 'pending'`)
  await unique('todos_pending_on_commit', 'todos', 'user_id, project_id, commit_oid', ` where state = 'pending'`)
  for (const table of ['todos', 'time_logs', 'events']) await index(db, table, 'merge_request_id')
  for (const table of ['label_events', 'milestone_events', 'state_events'])
    await db.schema.createIndex(`${table}_of_merge_request`).on(table).columns(['merge_request_id', 'id']).execute()
}

/** Notes on lines: where they were written, and where that line is now, as JSON. */
async function positionNotes(db: Kysely<unknown>): Promise<void> {
  for (const column of ['line_code', 'original_position', 'position', 'outdated_by'])
    await db.schema.alterTable('notes').addColumn(column, 'text').execute()
  await db.schema.alterTable('notes').addColumn('resolved_by_push', 'boolean', flag(false)).execute()
}

async function createReviews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('viewed_files')
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('merge_request_id', 'bigint', (column) => ofMergeRequest(column).notNull())
    .addColumn('path', 'text', required)
    .addColumn('oid', 'text', required)
    .addColumn('viewed_at', 'text', required)
    .addPrimaryKeyConstraint('viewed_files_key', ['user_id', 'merge_request_id', 'path'])
    .execute()
  await index(db, 'viewed_files', 'merge_request_id')
  await tableWithId(db, 'draft_notes')
    .addColumn('merge_request_id', 'bigint', (column) => ofMergeRequest(column).notNull())
    .addColumn('author_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('discussion_id', 'text')
    .addColumn('body', 'text', required)
    .addColumn('resolve_discussion', 'boolean', flag(false))
    .addColumn('commit_oid', 'text')
    .addColumn('position', 'text')
    .addColumn('line_code', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema.createIndex('draft_notes_of_merge_request').on('draft_notes').columns(['merge_request_id', 'author_id']).execute()
  await index(db, 'draft_notes', 'author_id')
  await tableWithId(db, 'suggestions')
    .addColumn('note_id', 'bigint', (column) => refers('notes.id')(column).notNull())
    .addColumn('position', 'integer', required)
    .addColumn('from_content', 'text', required)
    .addColumn('to_content', 'text', required)
    .addColumn('lines_above', 'integer', number(0))
    .addColumn('lines_below', 'integer', number(0))
    .addColumn('applied', 'boolean', flag(false))
    .addColumn('commit_oid', 'text')
    .addUniqueConstraint('suggestions_of_note', ['note_id', 'position'])
    .execute()
}

function index(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  return db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
}
