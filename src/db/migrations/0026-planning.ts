/** Planning: issues, labels, milestones, notes, award emoji, todos, boards, and records of their changes. */
import { type Kysely, type Migration, sql } from 'kysely'
import { flag, number, refers, required, tableWithId, words } from './columns.ts'
import { createIssueLists } from './issue-lists.ts'

const ofProject = refers('projects.id')
const ofNamespace = refers('namespaces.id')
const ofIssue = refers('issues.id')
const ofLabel = refers('labels.id')
const ofUser = refers('users.id')

export const planning: Migration = {
  async up(db) {
    await createNumbers(db)
    await createLabels(db)
    await createMilestones(db)
    await createIssues(db)
    await createIssueLists(db)
    await createNotes(db)
    await createIssueRelations(db)
    await createChangeEvents(db)
    await createTodos(db)
    await createBoards(db)
    await nameTargetsOfEvents(db)
  },
}

/** The last number given to each kind of thing in a project or group; taking the next one locks the row. */
async function createNumbers(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'internal_ids')
    .addColumn('project_id', 'bigint', ofProject)
    .addColumn('namespace_id', 'bigint', ofNamespace)
    .addColumn('kind', 'text', required)
    .addColumn('last_value', 'bigint', required)
    .addUniqueConstraint('internal_ids_of_project', ['project_id', 'kind'])
    .addUniqueConstraint('internal_ids_of_group', ['namespace_id', 'kind'])
    .execute()
}

async function createLabels(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'labels')
    .addColumn('project_id', 'bigint', ofProject)
    .addColumn('namespace_id', 'bigint', ofNamespace)
    .addColumn('title', 'text', required)
    .addColumn('color', 'text', required)
    .addColumn('description', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('labels_title_in_project', ['project_id', 'title'])
    .addUniqueConstraint('labels_title_in_group', ['namespace_id', 'title'])
    .execute()
  await db.schema
    .createTable('label_priorities')
    .addColumn('project_id', 'bigint', (column) => ofProject(column).notNull())
    .addColumn('label_id', 'bigint', (column) => ofLabel(column).notNull())
    .addColumn('priority', 'integer', required)
    .addPrimaryKeyConstraint('label_priorities_key', ['project_id', 'label_id'])
    .execute()
  await index(db, 'label_priorities', 'label_id')
}

async function createMilestones(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'milestones')
    .addColumn('iid', 'bigint', required)
    .addColumn('project_id', 'bigint', ofProject)
    .addColumn('namespace_id', 'bigint', ofNamespace)
    .addColumn('title', 'text', required)
    .addColumn('description', 'text')
    .addColumn('state', 'text', words('active'))
    .addColumn('start_date', 'text')
    .addColumn('due_date', 'text')
    .addColumn('closed_at', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('milestones_iid_in_project', ['project_id', 'iid'])
    .addUniqueConstraint('milestones_iid_in_group', ['namespace_id', 'iid'])
    .addUniqueConstraint('milestones_title_in_project', ['project_id', 'title'])
    .addUniqueConstraint('milestones_title_in_group', ['namespace_id', 'title'])
    .execute()
}

async function createIssues(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'issues')
    .addColumn('iid', 'bigint', required)
    .addColumn('project_id', 'bigint', (column) => ofProject(column).notNull())
    .addColumn('author_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
    .addColumn('title', 'text', required)
    .addColumn('description', 'text')
    .addColumn('state', 'text', words('opened'))
    .addColumn('confidential', 'boolean', flag(false))
    .addColumn('discussion_locked', 'boolean')
    .addColumn('milestone_id', 'bigint', refers('milestones.id', 'set null'))
    .addColumn('due_date', 'text')
    .addColumn('time_estimate', 'bigint', number(0))
    .addColumn('total_time_spent', 'bigint', number(0))
    .addColumn('relative_position', 'bigint')
    .addColumn('moved_to_id', 'bigint', refers('issues.id', 'set null'))
    .addColumn('duplicated_to_id', 'bigint', refers('issues.id', 'set null'))
    .addColumn('closed_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('closed_at', 'text')
    .addColumn('last_edited_at', 'text')
    .addColumn('last_edited_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('user_notes_count', 'integer', number(0))
    .addColumn('upvotes', 'integer', number(0))
    .addColumn('downvotes', 'integer', number(0))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('issues_iid', ['project_id', 'iid'])
    .execute()
  for (const column of ['milestone_id', 'moved_to_id', 'duplicated_to_id', 'closed_by_id', 'last_edited_by_id'])
    await index(db, 'issues', column)
  await db.schema
    .createTable('issue_assignees')
    .addColumn('issue_id', 'bigint', (column) => ofIssue(column).notNull())
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addPrimaryKeyConstraint('issue_assignees_key', ['issue_id', 'user_id'])
    .execute()
  await index(db, 'issue_assignees', 'user_id')
  await db.schema
    .createTable('issue_labels')
    .addColumn('issue_id', 'bigint', (column) => ofIssue(column).notNull())
    .addColumn('label_id', 'bigint', (column) => ofLabel(column).notNull())
    .addPrimaryKeyConstraint('issue_labels_key', ['issue_id', 'label_id'])
    .execute()
  await index(db, 'issue_labels', 'label_id')
  await tableWithId(db, 'user_agent_details')
    .addColumn('issue_id', 'bigint', (column) => ofIssue(column).unique())
    .addColumn('user_agent', 'text', required)
    .addColumn('ip_address', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute()
}

/** Each later kind of noteable adds a column. */
async function createNotes(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'notes')
    .addColumn('project_id', 'bigint', (column) => ofProject(column).notNull())
    .addColumn('author_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
    .addColumn('issue_id', 'bigint', ofIssue)
    .addColumn('discussion_id', 'text', required)
    .addColumn('opens_discussion', 'boolean', flag(true))
    .addColumn('type', 'text')
    .addColumn('body', 'text', required)
    .addColumn('system', 'boolean', flag(false))
    .addColumn('system_action', 'text')
    .addColumn('about_issue_id', 'bigint', ofIssue)
    .addColumn('about_project_id', 'bigint', ofProject)
    .addColumn('internal', 'boolean', flag(false))
    .addColumn('resolved_at', 'text')
    .addColumn('resolved_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('last_edited_by_id', 'bigint', refers('users.id', 'set null'))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  const indexed = ['project_id', 'author_id', 'discussion_id', 'about_issue_id', 'about_project_id', 'resolved_by_id', 'last_edited_by_id']
  for (const column of indexed) await index(db, 'notes', column)
  // The author of a note participates in what it is on.
  await db.schema.createIndex('notes_of_issue_by_author').on('notes').columns(['issue_id', 'author_id']).execute()
  await db.schema.createIndex('notes_of_issue').on('notes').columns(['issue_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('notes_of_issue_by_updated_at').on('notes').columns(['issue_id', 'updated_at', 'id']).execute()
  await db.schema.createIndex('discussions_of_issue').on('notes').columns(['issue_id', 'opens_discussion', 'created_at', 'id']).execute()
  await tableWithId(db, 'award_emoji')
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('name', 'text', required)
    .addColumn('issue_id', 'bigint', ofIssue)
    .addColumn('note_id', 'bigint', refers('notes.id'))
    .addColumn('left_by_id', 'bigint', number(0))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('award_emoji_on_issue', ['issue_id', 'user_id', 'name', 'left_by_id'])
    .addUniqueConstraint('award_emoji_on_note', ['note_id', 'user_id', 'name', 'left_by_id'])
    .execute()
  await index(db, 'award_emoji', 'user_id')
}

async function createIssueRelations(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'issue_links')
    .addColumn('source_id', 'bigint', (column) => ofIssue(column).notNull())
    .addColumn('target_id', 'bigint', (column) => ofIssue(column).notNull())
    .addColumn('link_type', 'text', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  // Two issues have one link, whichever of them is its source.
  const [lower, higher] = ['<', '>'].map((than) => sql.raw(`(case when source_id ${than} target_id then source_id else target_id end)`))
  await sql`create unique index issue_links_key on issue_links (${lower}, ${higher})`.execute(db)
  await index(db, 'issue_links', 'source_id')
  await index(db, 'issue_links', 'target_id')
  // An explicit choice, for or against, overrides what follows from participation.
  await tableWithId(db, 'subscriptions')
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('issue_id', 'bigint', ofIssue)
    .addColumn('label_id', 'bigint', ofLabel)
    .addColumn('project_id', 'bigint', ofProject)
    .addColumn('subscribed', 'boolean', required)
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('subscriptions_to_issue', ['issue_id', 'user_id'])
    .execute()
  for (const column of ['user_id', 'label_id', 'project_id']) await index(db, 'subscriptions', column)
  await tableWithId(db, 'time_logs')
    .addColumn('issue_id', 'bigint', ofIssue)
    .addColumn('user_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
    .addColumn('time_spent', 'bigint', required)
    .addColumn('spent_at', 'text')
    .addColumn('created_at', 'text', required)
    .execute()
  for (const column of ['issue_id', 'user_id']) await index(db, 'time_logs', column)
  // A mentioned user participates, whether or not the text still mentions them.
  await db.schema
    .createTable('issue_mentions')
    .addColumn('issue_id', 'bigint', (column) => ofIssue(column).notNull())
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('internal', 'boolean', flag(false))
    .addPrimaryKeyConstraint('issue_mentions_key', ['issue_id', 'user_id'])
    .execute()
  await index(db, 'issue_mentions', 'user_id')
}

/** The resource events of the API: for labels, milestones and states. */
async function createChangeEvents(db: Kysely<unknown>): Promise<void> {
  const tables = [
    ['label_events', 'label_id', refers('labels.id', 'set null')],
    ['milestone_events', 'milestone_id', refers('milestones.id', 'set null')],
    ['state_events', null, null],
  ] as const
  for (const [table, column, build] of tables) {
    const base = tableWithId(db, table)
      .addColumn('issue_id', 'bigint', ofIssue)
      .addColumn('user_id', 'bigint', refers('users.id', 'set null'))
      .addColumn('action', 'text', required)
      .addColumn('created_at', 'text', required)
    await (column === null ? base : base.addColumn(column, 'bigint', build)).execute()
    await db.schema.createIndex(`${table}_of_issue`).on(table).columns(['issue_id', 'id']).execute()
    await index(db, table, 'user_id')
    if (column !== null) await index(db, table, column)
  }
}

async function createTodos(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'todos')
    .addColumn('user_id', 'bigint', (column) => ofUser(column).notNull())
    .addColumn('project_id', 'bigint', (column) => ofProject(column).notNull())
    .addColumn('author_id', 'bigint', (column) => refers('users.id', 'restrict')(column).notNull())
    .addColumn('issue_id', 'bigint', ofIssue)
    .addColumn('note_id', 'bigint', refers('notes.id'))
    .addColumn('action', 'text', required)
    .addColumn('state', 'text', words('pending'))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  await db.schema.createIndex('todos_of_user').on('todos').columns(['user_id', 'state', 'id']).execute()
  // Only one todo is pending at a time: a user mentioned a hundred times has one.
  await sql`create unique index todos_pending_on_issue on todos (user_id, issue_id) where state = 'pending'`.execute(db)
  for (const column of ['project_id', 'author_id', 'issue_id', 'note_id']) await index(db, 'todos', column)
}

async function createBoards(db: Kysely<unknown>): Promise<void> {
  await tableWithId(db, 'boards')
    .addColumn('project_id', 'bigint', ofProject)
    .addColumn('namespace_id', 'bigint', ofNamespace)
    .addColumn('name', 'text', required)
    .addColumn('hide_backlog_list', 'boolean', flag(false))
    .addColumn('hide_closed_list', 'boolean', flag(false))
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .execute()
  for (const column of ['project_id', 'namespace_id']) await index(db, 'boards', column)
  await tableWithId(db, 'board_lists')
    .addColumn('board_id', 'bigint', (column) => refers('boards.id')(column).notNull())
    .addColumn('label_id', 'bigint', (column) => ofLabel(column).notNull())
    .addColumn('position', 'integer', required)
    .addColumn('created_at', 'text', required)
    .addColumn('updated_at', 'text', required)
    .addUniqueConstraint('board_lists_label', ['board_id', 'label_id'])
    .execute()
  await index(db, 'board_lists', 'label_id')
  // The order inside of lists: issues that nobody has moved come last, the newest first. The expressions must match those of the queries.
  await sql`create index issues_in_order on issues (project_id, state, coalesce(relative_position, 9007199254740991), id desc)`.execute(db)
}

/** Activity events name an issue, a note or a milestone by separate columns; lists are ordered by instant, then id. */
async function nameTargetsOfEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('events').addColumn('issue_id', 'bigint', ofIssue).execute()
  await db.schema.alterTable('events').addColumn('note_id', 'bigint', refers('notes.id')).execute()
  await db.schema.alterTable('events').addColumn('milestone_id', 'bigint', refers('milestones.id', 'set null')).execute()
  for (const column of ['issue_id', 'note_id', 'milestone_id']) await index(db, 'events', column)
  for (const [name, column] of [
    ['events_project', 'project_id'],
    ['events_author', 'author_id'],
  ] as const) {
    await db.schema.dropIndex(name).execute()
    await db.schema.createIndex(name).on('events').columns([column, 'created_at', 'id']).execute()
  }
  await db.schema.createIndex('events_by_created_at').on('events').columns(['created_at', 'id']).execute()
}

function index(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  return db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
}
