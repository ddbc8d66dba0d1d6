/** Issues and the data that belongs to them. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant, IssuableColumns, IssuableFields } from './columns.ts'

/** The last number given to a kind of thing in exactly one of a project and a group. */
export interface InternalIdTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  kind: 'issue' | 'merge_request' | 'milestone' | 'pipeline' | 'deployment' | 'flag_user_list'
  last_value: number
}

export interface IssueTable extends IssuableFields {
  state: Generated<'opened' | 'closed'>
  /** Visible only to the author, assignees, and members from reporter up. */
  confidential: Generated<boolean>
  due_date: Day | null
  /** Position in lists of boards; null if nobody has moved it. */
  relative_position: number | null
  moved_to_id: number | null
  duplicated_to_id: number | null
}

export interface IssueAssigneeTable {
  issue_id: number
  user_id: number
}

export interface IssueLabelTable {
  issue_id: number
  label_id: number
}

export interface IssueMentionTable {
  issue_id: number
  user_id: number
  /** Whether only internal notes mention them. */
  internal: Generated<boolean>
}

/** Stored in one direction: `blocks` from the source to the target. */
export interface IssueLinkTable {
  id: Generated<number>
  source_id: number
  target_id: number
  link_type: 'relates_to' | 'blocks'
  created_at: Instant
  updated_at: Instant
}

/** An explicit choice, for or against; without one it follows from participation. */
export interface SubscriptionTable extends IssuableColumns {
  id: Generated<number>
  user_id: number
  label_id: number | null
  /** The project in which a group label is subscribed to. */
  project_id: number | null
  subscribed: boolean
  created_at: Instant
}

export interface TimeLogTable extends IssuableColumns {
  id: Generated<number>
  user_id: number
  /** In seconds; negative to subtract. */
  time_spent: number
  spent_at: Day | null
  created_at: Instant
}

/** The client that created an issue, for administrators. */
export interface UserAgentDetailTable {
  id: Generated<number>
  issue_id: number | null
  snippet_id: number | null
  user_agent: string
  ip_address: string
  created_at: Instant
}

interface ChangeEventTable extends IssuableColumns {
  id: Generated<number>
  user_id: number | null
  created_at: Instant
}

export interface LabelEventTable extends ChangeEventTable {
  /** Null once the label is deleted. */
  label_id: number | null
  action: 'add' | 'remove'
}

export interface MilestoneEventTable extends ChangeEventTable {
  milestone_id: number | null
  action: 'add' | 'remove'
}

export interface StateEventTable extends ChangeEventTable {
  action: 'closed' | 'reopened' | 'merged'
}

/** Maintained by triggers; the total is the sum of the rows. Must be read together with issues, so that caches notice changes. */
export interface IssueCountTable {
  project_id: number
  state: 'opened' | 'closed'
  confidential: boolean
  number: number
}

export type Issue = Selectable<IssueTable>
export type LabelEvent = Selectable<LabelEventTable>
export type MilestoneEvent = Selectable<MilestoneEventTable>
export type StateEvent = Selectable<StateEventTable>
export type UserAgentDetail = Selectable<UserAgentDetailTable>
