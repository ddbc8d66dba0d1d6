/**
 * Planning and review in archives: labels, milestones, issues, merge requests and snippets with everything on them, boards. From version 3
 * on.
 */
import { type TProperties, Type } from 'typebox'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { Day, flag, Instant, line, longText, number, Person, text } from './format-words.ts'
import { mergeRequestTables, onNoteable, reviewOfNotes, suggestionTables } from './review-format.ts'
import { onSnippet, snippetTables } from './snippets-format.ts'

const signed = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const iid = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
const title = Type.String({ minLength: 1, maxLength: 255 })
const when = { created_at: Instant, updated_at: Instant }
/** Numbers of lines in `people`, `labels` and the like. */
const numbers = Type.Array(number, { maxItems: 10_000 })

const changeOf = <P extends TProperties>(properties: P) =>
  line({ ...onNoteable, person: Person, action: oneOf('add', 'remove'), created_at: Instant, ...properties })

/** Fields that labels and milestones have in projects and in groups. */
export const labelFields = {
  title: Type.String({ pattern: '^[^,\\s]([^,]*[^,\\s])?$', maxLength: 255 }),
  color: Type.String({ pattern: '^#([0-9a-fA-F]{3}){1,2}$' }),
  description: nullable(longText),
}
export const milestoneFields = {
  iid,
  title,
  description: nullable(longText),
  state: oneOf('active', 'closed'),
  start_date: nullable(Day),
  due_date: nullable(Day),
  closed_at: nullable(Instant),
}

/** The schema of a line in each file, in the order in which they are read: a line only refers to lines in files before its own. */
export const planningTables = {
  /** The last numbers that were used. */
  internal_ids: line({ kind: oneOf('issue', 'merge_request', 'milestone'), last_value: iid }),
  labels: line({
    id: number,
    ...labelFields,
    priority: nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    /** From a group above. The import uses a group's label or milestone with this title if it finds one. */
    inherited: flag,
    ...when,
  }),
  milestones: line({
    id: number,
    ...milestoneFields,
    inherited: flag,
    ...when,
  }),
  /** From version 6 on. */
  release_milestones: line({ release: number, milestone: number }),
  issues: line({
    id: number,
    iid,
    author: Person,
    title,
    description: nullable(longText),
    state: oneOf('opened', 'closed'),
    confidential: flag,
    discussion_locked: nullable(flag),
    milestone: nullable(number),
    due_date: nullable(Day),
    time_estimate: number,
    total_time_spent: number,
    relative_position: nullable(signed),
    /** The issue that it duplicates. */
    duplicated_to: nullable(number),
    closed_by: Person,
    closed_at: nullable(Instant),
    last_edited_by: Person,
    last_edited_at: nullable(Instant),
    assignees: numbers,
    mentioned: numbers,
    labels: numbers,
    ...when,
  }),
  ...mergeRequestTables,
  ...snippetTables,
  notes: line({
    id: number,
    ...onNoteable,
    ...onSnippet,
    ...reviewOfNotes,
    author: Person,
    /** Lines with the same value reply to each other. */
    discussion: Type.String({ minLength: 1, maxLength: 100 }),
    opens_discussion: flag,
    type: nullable(oneOf('DiscussionNote', 'DiffNote')),
    body: longText,
    system: flag,
    system_action: nullable(text(100)),
    /** The issue that a system note is about. */
    about_issue: nullable(number),
    about_snippet: Type.Optional(nullable(number)),
    internal: flag,
    resolved_at: nullable(Instant),
    resolved_by: Person,
    last_edited_by: Person,
    ...when,
  }),
  ...suggestionTables,
  award_emoji: line({
    ...onNoteable,
    ...onSnippet,
    note: nullable(number),
    person: number,
    name: Type.String({ pattern: '^[a-z0-9_+-]{1,100}$' }),
    ...when,
  }),
  issue_links: line({ source: number, target: number, link_type: oneOf('relates_to', 'blocks'), ...when }),
  subscriptions: line({
    ...onNoteable,
    label: nullable(number),
    person: number,
    subscribed: flag,
    created_at: Instant,
  }),
  time_logs: line({ ...onNoteable, person: Person, time_spent: signed, spent_at: nullable(Day), created_at: Instant }),
  label_events: changeOf({ label: nullable(number) }),
  milestone_events: changeOf({ milestone: nullable(number) }),
  state_events: line({ ...onNoteable, person: Person, action: oneOf('closed', 'reopened', 'merged'), created_at: Instant }),
  boards: line({ id: number, name: title, hide_backlog_list: flag, hide_closed_list: flag, ...when }),
  board_lists: line({ board: number, label: number, position: Type.Integer({ minimum: 0, maximum: 100_000 }), ...when }),
  events: line({
    person: Person,
    action: oneOf('created', 'closed', 'reopened', 'destroyed', 'commented', 'merged', 'approved'),
    target_type: oneOf('Issue', 'MergeRequest', 'Milestone', 'Note'),
    ...onNoteable,
    ...onSnippet,
    note: nullable(number),
    milestone: nullable(number),
    created_at: Instant,
  }),
}

export type PlanningTable = keyof typeof planningTables
export const planningTableNames = Object.keys(planningTables) as PlanningTable[]

/** Tables to which lines of planning refer. */
export type NamedTable = PlanningTable | 'releases'

/** Properties of lines that refer to a line of another table, and the column for each. */
export const references = {
  release: { table: 'releases', column: 'release_id' },
  issue: { table: 'issues', column: 'issue_id' },
  merge_request: { table: 'merge_requests', column: 'merge_request_id' },
  snippet: { table: 'snippets', column: 'snippet_id' },
  version: { table: 'merge_request_versions', column: 'version_id' },
  note: { table: 'notes', column: 'note_id' },
  label: { table: 'labels', column: 'label_id' },
  milestone: { table: 'milestones', column: 'milestone_id' },
  board: { table: 'boards', column: 'board_id' },
  source: { table: 'issues', column: 'source_id' },
  target: { table: 'issues', column: 'target_id' },
  about_issue: { table: 'issues', column: 'about_issue_id' },
  about_merge_request: { table: 'merge_requests', column: 'about_merge_request_id' },
  about_snippet: { table: 'snippets', column: 'about_snippet_id' },
  duplicated_to: { table: 'issues', column: 'duplicated_to_id' },
} as const satisfies Record<string, { table: NamedTable; column: string }>

export type Reference = keyof typeof references

/** Required references: without their target, the line is left out. Others become null then. */
export const needed: Partial<Record<PlanningTable, readonly Reference[]>> = {
  release_milestones: ['release', 'milestone'],
  merge_request_reviewers: ['merge_request'],
  approvals: ['merge_request'],
  merge_request_versions: ['merge_request'],
  merge_request_version_files: ['version'],
  merge_request_version_commits: ['version'],
  snippet_files: ['snippet'],
  notes: ['issue', 'merge_request', 'snippet', 'about_issue', 'about_merge_request', 'about_snippet'],
  suggestions: ['note'],
  award_emoji: ['issue', 'merge_request', 'snippet', 'note'],
  issue_links: ['source', 'target'],
  subscriptions: ['issue', 'merge_request', 'label'],
  time_logs: ['issue', 'merge_request'],
  label_events: ['issue', 'merge_request'],
  milestone_events: ['issue', 'merge_request'],
  state_events: ['issue', 'merge_request'],
  board_lists: ['board', 'label'],
  events: ['issue', 'merge_request', 'snippet', 'note'],
}

/** Each line of the table has exactly one of these properties. */
export const exactlyOne: Partial<Record<PlanningTable, readonly Reference[]>> = {
  notes: ['issue', 'merge_request', 'snippet'],
  award_emoji: ['issue', 'merge_request', 'snippet', 'note'],
  subscriptions: ['issue', 'merge_request', 'label'],
  time_logs: ['issue', 'merge_request'],
  label_events: ['issue', 'merge_request'],
  milestone_events: ['issue', 'merge_request'],
  state_events: ['issue', 'merge_request'],
}

/** Properties that refer to a person, and the column for each. `person` depends on the table. */
export const people = {
  author: 'author_id',
  merged_by: 'merged_by_id',
  closed_by: 'closed_by_id',
  last_edited_by: 'last_edited_by_id',
  resolved_by: 'resolved_by_id',
} as const

/** Arrays of persons. */
export const peopleLists = ['assignees', 'mentioned'] as const

/** Arrays of numbers of lines, and the table they refer to. */
export const lists = { labels: 'label', closes: 'issue' } as const satisfies Record<string, Reference>

/** Arrays of references, and the table and column of each. */
export const listTables = {
  issues: {
    assignees: ['issue_assignees', 'user_id'],
    mentioned: ['issue_mentions', 'user_id'],
    labels: ['issue_labels', 'label_id'],
  },
  merge_requests: {
    assignees: ['merge_request_assignees', 'user_id'],
    mentioned: ['merge_request_mentions', 'user_id'],
    labels: ['merge_request_labels', 'label_id'],
    closes: ['merge_request_closes', 'issue_id'],
  },
} as const

type ListTables = typeof listTables
/** Tables of references from issues and merge requests. */
export type ListTable = {
  [T in keyof ListTables]: ListTables[T][keyof ListTables[T]] extends readonly [infer Name, string] ? Name : never
}[keyof ListTables]
