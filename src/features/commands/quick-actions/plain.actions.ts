/** Quick actions on fields of the row: state, title, people, milestone, dates, times. */
import { today } from '../../../db/instants.ts'
import { kindOf } from '../../noteable-kinds.ts'
import { humanDuration, parseDuration } from '../../planning/issuables/issuables.ts'
import { managed, ofIssue, onIssue, onManaged, onOwn, type QuickActions } from './actions.ts'
import { readMilestone, readUsers } from './arguments.ts'
import { parseDate } from './dates.ts'
import { subjectKindOf } from './subjects.ts'

export const plainActions: QuickActions = {
  close: onOwn(({ on, updates }) => {
    if (on.row.state !== 'opened') return null
    updates.state_event = 'close'
    return `Closed this ${kindOf(on).noun}.`
  }),
  reopen: onOwn(({ on, known, updates }) => {
    if (on.row.state !== 'closed' || !subjectKindOf(on).mayReopen(on.row, known)) return null
    updates.state_event = 'reopen'
    return `Reopened this ${kindOf(on).noun}.`
  }),
  title: onOwn(({ updates }, title) => {
    if (title === '') return null
    updates.title = title
    return `Changed the title to "${title}".`
  }),
  assign: managed(async ({ tx, actor, on, updates }, argument) => {
    for (const user of await readUsers(tx, actor.user, argument)) {
      if ((await subjectKindOf(on).assignable(tx, actor.project, on.row, [user.id])).length === 0) continue
      updates.assignee_ids = [user.id]
      return `Assigned @${user.username}.`
    }
    return null
  }),
  unassign: onManaged(({ assignees, updates }) => {
    if (assignees.length === 0) return null
    updates.assignee_ids = []
    return 'Removed assignee.'
  }),
  milestone: managed(async ({ tx, actor, updates }, argument) => {
    const milestone = argument === '' ? null : await readMilestone(tx, actor, argument)
    if (milestone === null) return null
    updates.milestone_id = milestone.id
    return `Set the milestone to %"${milestone.title}".`
  }),
  remove_milestone: onManaged(({ on, updates }) => {
    if (on.row.milestone_id === null) return null
    updates.milestone_id = null
    return 'Removed milestone.'
  }),
  due: managed(
    ofIssue(({ updates }, argument) => {
      const due_date = parseDate(argument, today())
      if (due_date === null) return null
      updates.due_date = due_date
      return `Set the due date to ${due_date}.`
    }),
  ),
  remove_due_date: managed(
    onIssue(({ issue, updates }) => {
      if (issue.due_date === null) return null
      updates.due_date = null
      return 'Removed the due date.'
    }),
  ),
  estimate: managed(({ updates }, argument) => {
    const seconds = parseDuration(argument)
    if (seconds === null || seconds <= 0) return null
    updates.time_estimate = seconds
    return `Set time estimate to ${humanDuration(seconds)}.`
  }),
  remove_estimate: onManaged(({ updates }) => {
    updates.time_estimate = 0
    return 'Removed time estimate.'
  }),
  spend: managed(({ actor, on, updates }, argument) => {
    const [date = null] = /\d{2,4}[/.-]\d{1,2}[/.-]\d{1,2}/.exec(argument) ?? []
    const spent_at = date === null ? today() : parseDate(date, today())
    const duration = parseDuration(date === null ? argument : argument.replace(date, ''))
    if (spent_at === null || spent_at > today() || !duration) return null
    if (duration < 0 && -duration > (on.row?.total_time_spent ?? 0)) return null
    updates.spend_time = { duration, user_id: actor.user.id, spent_at }
    return `${duration > 0 ? 'Added' : 'Subtracted'} ${humanDuration(Math.abs(duration))} spent time.`
  }),
  remove_time_spent: onManaged(({ actor, updates }) => {
    updates.spend_time = { duration: 'reset', user_id: actor.user.id, spent_at: null }
    return 'Removed spent time.'
  }),
  lock: onManaged(({ on, updates }) => {
    if (on.row.discussion_locked) return null
    updates.discussion_locked = true
    return 'Locked the discussion.'
  }),
  unlock: onManaged(({ on, updates }) => {
    if (!on.row.discussion_locked) return null
    updates.discussion_locked = false
    return 'Unlocked the discussion.'
  }),
  confidential: managed(
    ofIssue(({ issue, updates }) => {
      if (issue?.confidential) return null
      updates.confidential = true
      return 'Made this issue confidential.'
    }),
  ),
}
