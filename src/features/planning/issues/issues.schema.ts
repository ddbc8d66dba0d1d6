/** Issues as JSON (spec 2.4), with what later versions of this API add. */
import { Type } from 'typebox'
import { Day, Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'
import { TimeStats } from '../issuables/issuables.schema.ts'
import { LabelBrief } from '../labels/labels.schema.ts'
import { Milestone } from '../milestones/milestones.schema.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })

export const Issue = resource('Issue', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: text,
  description: nullable(text),
  state: oneOf('opened', 'closed'),
  created_at: Instant,
  updated_at: Instant,
  closed_at: nullable(Instant),
  closed_by: nullable(UserBrief),
  labels: Type.Array(Type.Union([text, LabelBrief]), { description: 'Titles; objects with with_labels_details' }),
  milestone: nullable(Milestone),
  assignees: Type.Array(UserBrief),
  author: UserBrief,
  type: oneOf('ISSUE'),
  assignee: nullable(UserBrief),
  user_notes_count: count,
  merge_requests_count: count,
  upvotes: count,
  downvotes: count,
  due_date: nullable(Day),
  confidential: Type.Boolean(),
  discussion_locked: nullable(Type.Boolean()),
  issue_type: oneOf('issue'),
  web_url: text,
  time_stats: TimeStats,
  task_completion_status: Type.Object({ count, completed_count: count }),
  has_tasks: Type.Boolean(),
  _links: Type.Object({ self: text, notes: text, award_emoji: text, project: text, closed_as_duplicate_of: nullable(text) }),
  references: Type.Object({ short: text, relative: text, full: text }),
  severity: oneOf('UNKNOWN'),
  moved_to_id: nullable(Type.Integer()),
  /** Present in the reply about one issue, not in lists. */
  subscribed: Type.Optional(Type.Boolean()),
})

export const IssueStatistics = resource('IssueStatistics', {
  statistics: Type.Object({ counts: Type.Object({ all: count, closed: count, opened: count }) }),
})
