/** Changes from the sidebar of an issue, one at a time. */
import { Type } from 'typebox'
import { findProject } from '../../../access/find.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import { canMoveTo, moveIssue } from '../../../features/commands/issue-moves/issue-moves.ts'
import { changeIssue, editableIssue } from '../../../features/commands/issues/issues.ts'
import { setSubscription } from '../../../features/discussion/subscriptions/subscriptions.ts'
import { completeTodosOf, markAsTodo } from '../../../features/discussion/todos/todos.ts'
import { addSpentTime, setEstimate } from '../../../features/planning/issuables/issuables.ts'
import { changeIssueIn, issueInPath } from '../../../features/planning/issues/issues.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { action } from '../../frame/declaration.ts'
import { issueForm, requestOf } from './fields.ts'
import { issueView } from './issue-view.ts'
import { noteableOf } from './seen.ts'
import { sentences } from './sentences.ts'

const duration = Type.Optional(Type.String({ maxLength: 300 }))
const { title: _, description: __, ...details } = issueForm

export const detailPages = [
  action('POST /:project/issues/:issue_iid/details', {
    access: within(unarchived(project('manage_issues')), issueInPath),
    form: { ...details, estimate: duration, spent: duration },
    async act({ app, actor, project, issue, sent: { estimate, spent, ...sent } }) {
      if (estimate !== undefined) await setEstimate(app, actor, changeIssueIn, issue.id, estimate.trim() || null)
      else if (spent !== undefined) await addSpentTime(app, actor, changeIssueIn, issue.id, spent)
      else await changeIssue(app, actor, issue, await requestOf(app, { project }, issue, sent))
      return { redirect: issueAddress(project, issue.iid), notice: sentences.saved }
    },
    again: (context, typed) => issueView(context, { refusedDetail: inOurNames(typed) }),
  }),
  action('POST /:project/issues/:issue_iid/move', {
    access: within(unarchived(project('manage_issues')), issueInPath),
    form: { to: Type.String({ maxLength: 1_000 }) },
    async act({ app, user, actor, issue, sent: { to } }) {
      const target = await findProject(app.db, to.trim(), user).catch(nullIfMissing)
      if (!target || !canMoveTo(actor, issue, target)) throw invalid({ to: [sentences.notMovable] })
      const { iid } = await moveIssue(app, actor, issue, target.project.id)
      return { redirect: issueAddress(target.project, iid), notice: sentences.moved }
    },
    again: (context, typed) => issueView(context, { refusedDetail: typed }),
  }),
  action('POST /:project/issues/:issue_iid/state', {
    access: editableIssue,
    form: { state_event: oneOf('close', 'reopen') },
    async act({ app, actor, project, issue, sent: { state_event } }) {
      const { state } = await changeIssue(app, actor, issue, { state_event })
      return { redirect: issueAddress(project, issue.iid), notice: state === 'closed' ? sentences.closed : sentences.reopened }
    },
  }),
  action('POST /:project/issues/:issue_iid/subscription', {
    access: within(project('signed-in'), issueInPath),
    form: { subscribed: Type.Boolean() },
    async act({ app, user, project, issue, level, sent: { subscribed } }) {
      await setSubscription(app, user, noteableOf({ issue, project, level }), subscribed)
      return { redirect: issueAddress(project, issue.iid), notice: subscribed ? sentences.subscribed : sentences.unsubscribed }
    },
  }),
  action('POST /:project/issues/:issue_iid/todo', {
    access: within(project('signed-in'), issueInPath),
    form: { pending: Type.Boolean() },
    async act({ app, user, project, issue, level, sent: { pending } }) {
      const noteable = noteableOf({ issue, project, level })
      if (pending) await markAsTodo(app, user, noteable)
      else await completeTodosOf(app, user, noteable)
      return { redirect: issueAddress(project, issue.iid), notice: pending ? sentences.todoAdded : sentences.todoDone }
    },
  }),
]

/** The service uses the field names of the API. */
function inOurNames<T extends { errors: { all: readonly string[]; of: Readonly<Record<string, readonly string[]>> } }>(typed: T): T {
  const { time_estimate, time_spent, ...others } = typed.errors.of
  const of = { ...others, ...(time_estimate && { estimate: time_estimate }), ...(time_spent && { spent: time_spent }) }
  return { ...typed, errors: { ...typed.errors, of } }
}
