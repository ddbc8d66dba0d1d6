/** Quick actions on what stands in the row of an issue: state, title, people, milestone, dates, times. */
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { today } from '../../../db/instants.ts'
import type { Issue } from '../../../db/tables.ts'
import { assignableAmong, humanDuration, parseDuration } from '../issues/issues.ts'
import type { QuickAction, QuickActions, Situation } from './actions.ts'
import { readMilestone, readUsers } from './arguments.ts'
import { parseDate } from './dates.ts'

type OnIssue = (at: Situation & { issue: Issue }, argument: string) => ReturnType<QuickAction>

/** On an issue that is there, for everybody who can see it. */
export function onThere(act: OnIssue): QuickAction {
  return (at, argument) => (at.issue ? act({ ...at, issue: at.issue }, argument) : null)
}

/** The same, for those who may edit it. */
export function onOwn(act: OnIssue): QuickAction {
  return onThere((at, argument) => (canUpdateIssue(at.actor, at.issue, at.assignees, at.actor.user) ? act(at, argument) : null))
}

/** For those who may plan with it: with its labels, its milestone and its dates. */
export function managed(act: QuickAction): QuickAction {
  return (at, argument) => (canManageIssue(at.actor) ? act(at, argument) : null)
}

/** The same, on an issue that is there. */
export function onManaged(act: OnIssue): QuickAction {
  return managed(onThere(act))
}

export const plainActions: QuickActions = {
  close: onOwn(({ issue, updates }) => {
    if (issue.state === 'closed') return null
    updates.state_event = 'close'
    return 'Closed this issue.'
  }),
  reopen: onOwn(({ issue, updates }) => {
    if (issue.state === 'opened' || issue.discussion_locked) return null
    updates.state_event = 'reopen'
    return 'Reopened this issue.'
  }),
  title: onOwn(({ updates }, title) => {
    if (title === '') return null
    updates.title = title
    return `Changed the title to "${title}".`
  }),
  assign: managed(async ({ tx, actor, issue, updates }, argument) => {
    for (const user of await readUsers(tx, actor.user, argument)) {
      if ((await assignableAmong(tx, actor.project, issue, [user.id])).length === 0) continue
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
  remove_milestone: onManaged(({ issue, updates }) => {
    if (issue.milestone_id === null) return null
    updates.milestone_id = null
    return 'Removed milestone.'
  }),
  due: managed(({ updates }, argument) => {
    const due_date = parseDate(argument, today())
    if (due_date === null) return null
    updates.due_date = due_date
    return `Set the due date to ${due_date}.`
  }),
  remove_due_date: onManaged(({ issue, updates }) => {
    if (issue.due_date === null) return null
    updates.due_date = null
    return 'Removed the due date.'
  }),
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
  spend: managed(({ actor, issue, updates }, argument) => {
    const [date = null] = /\d{2,4}[/.-]\d{1,2}[/.-]\d{1,2}/.exec(argument) ?? []
    const spent_at = date === null ? today() : parseDate(date, today())
    const duration = parseDuration(date === null ? argument : argument.replace(date, ''))
    if (spent_at === null || spent_at > today() || !duration) return null
    if (duration < 0 && -duration > (issue?.total_time_spent ?? 0)) return null
    updates.spend_time = { duration, user_id: actor.user.id, spent_at }
    return `${duration > 0 ? 'Added' : 'Subtracted'} ${humanDuration(Math.abs(duration))} spent time.`
  }),
  remove_time_spent: onManaged(({ actor, updates }) => {
    updates.spend_time = { duration: 'reset', user_id: actor.user.id, spent_at: null }
    return 'Removed spent time.'
  }),
  lock: onManaged(({ issue, updates }) => {
    if (issue.discussion_locked) return null
    updates.discussion_locked = true
    return 'Locked the discussion.'
  }),
  unlock: onManaged(({ issue, updates }) => {
    if (!issue.discussion_locked) return null
    updates.discussion_locked = false
    return 'Unlocked the discussion.'
  }),
  confidential: managed(({ issue, updates }) => {
    if (issue?.confidential) return null
    updates.confidential = true
    return 'Made this issue confidential.'
  }),
}
