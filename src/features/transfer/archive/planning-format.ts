/** Planning in archives: labels, milestones, issues with everything on them, boards. From version 3 of the format on. */
import { type TProperties, Type } from 'typebox'
import { nullable, oneOf } from '../../../http/schema.ts'
import { Day, flag, Instant, line, longText, number, Person, text } from './format-words.ts'

const signed = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const iid = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
const title = Type.String({ minLength: 1, maxLength: 255 })
const when = { created_at: Instant, updated_at: Instant }
/** The numbers of lines in `people`, `labels`. */
const numbers = Type.Array(number, { maxItems: 10_000 })

const changeOf = <P extends TProperties>(properties: P) =>
  line({ issue: number, person: Person, action: oneOf('add', 'remove'), created_at: Instant, ...properties })

/** The shape of a line in each file, in the order in which they are read: a line refers to those in files before its own. */
export const planningTables = {
  /** The last numbers given. */
  internal_ids: line({ kind: oneOf('issue', 'milestone'), last_value: iid }),
  labels: line({
    id: number,
    title: Type.String({ pattern: '^[^,\\s]([^,]*[^,\\s])?$', maxLength: 255 }),
    color: Type.String({ pattern: '^#([0-9a-fA-F]{3}){1,2}$' }),
    description: nullable(longText),
    priority: nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    /** Of a group above. Where the import finds one of this title above, it takes that. */
    inherited: flag,
    ...when,
  }),
  milestones: line({
    id: number,
    iid,
    title,
    description: nullable(longText),
    state: oneOf('active', 'closed'),
    start_date: nullable(Day),
    due_date: nullable(Day),
    closed_at: nullable(Instant),
    inherited: flag,
    ...when,
  }),
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
    /** An issue that it repeats: of an earlier line. */
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
  notes: line({
    id: number,
    issue: number,
    author: Person,
    /** Lines with the same one reply to each other. */
    discussion: Type.String({ minLength: 1, maxLength: 100 }),
    opens_discussion: flag,
    type: nullable(oneOf('DiscussionNote')),
    body: longText,
    system: flag,
    system_action: nullable(text(100)),
    /** The issue that a note of the system tells of. */
    about_issue: nullable(number),
    internal: flag,
    resolved_at: nullable(Instant),
    resolved_by: Person,
    last_edited_by: Person,
    ...when,
  }),
  award_emoji: line({
    issue: nullable(number),
    note: nullable(number),
    person: number,
    name: Type.String({ pattern: '^[a-z0-9_+-]{1,100}$' }),
    ...when,
  }),
  issue_links: line({ source: number, target: number, link_type: oneOf('relates_to', 'blocks'), ...when }),
  subscriptions: line({
    issue: nullable(number),
    label: nullable(number),
    person: number,
    subscribed: flag,
    created_at: Instant,
  }),
  time_logs: line({ issue: number, person: Person, time_spent: signed, spent_at: nullable(Day), created_at: Instant }),
  label_events: changeOf({ label: nullable(number) }),
  milestone_events: changeOf({ milestone: nullable(number) }),
  state_events: line({ issue: number, person: Person, action: oneOf('closed', 'reopened'), created_at: Instant }),
  boards: line({ id: number, name: title, hide_backlog_list: flag, hide_closed_list: flag, ...when }),
  board_lists: line({ board: number, label: number, position: Type.Integer({ minimum: 0, maximum: 100_000 }), ...when }),
  events: line({
    person: Person,
    action: oneOf('created', 'closed', 'reopened', 'destroyed', 'commented'),
    target_type: oneOf('Issue', 'Milestone', 'Note'),
    issue: nullable(number),
    note: nullable(number),
    milestone: nullable(number),
    created_at: Instant,
  }),
}

export type PlanningTable = keyof typeof planningTables
export const planningTableNames = Object.keys(planningTables) as PlanningTable[]

/** Properties of lines that name a line of another table, and the column each stands for. */
export const references = {
  issue: { table: 'issues', column: 'issue_id' },
  note: { table: 'notes', column: 'note_id' },
  label: { table: 'labels', column: 'label_id' },
  milestone: { table: 'milestones', column: 'milestone_id' },
  board: { table: 'boards', column: 'board_id' },
  source: { table: 'issues', column: 'source_id' },
  target: { table: 'issues', column: 'target_id' },
  about_issue: { table: 'issues', column: 'about_issue_id' },
  duplicated_to: { table: 'issues', column: 'duplicated_to_id' },
} as const satisfies Record<string, { table: PlanningTable; column: string }>

export type Reference = keyof typeof references

/** Those that a table can't do without: without what they name there is no line. In the others it is null then. */
export const needed: Record<PlanningTable, readonly Reference[]> = {
  labels: [],
  milestones: [],
  issues: [],
  notes: ['issue', 'about_issue'],
  award_emoji: ['issue', 'note'],
  issue_links: ['source', 'target'],
  subscriptions: ['issue', 'label'],
  time_logs: ['issue'],
  label_events: ['issue'],
  milestone_events: ['issue'],
  state_events: ['issue'],
  boards: [],
  board_lists: ['board', 'label'],
  events: ['issue', 'note'],
  internal_ids: [],
}

/** Properties that name a person, and the column each stands for. `person` is a table's own. */
export const people = {
  author: 'author_id',
  closed_by: 'closed_by_id',
  last_edited_by: 'last_edited_by_id',
  resolved_by: 'resolved_by_id',
} as const

/** Arrays of persons, and the table of each. */
export const peopleLists = { assignees: 'issue_assignees', mentioned: 'issue_mentions' } as const
