/** Changes from the sidebar of a merge request, one at a time. */
import { Type } from 'typebox'
import { changeMergeRequest, editableMergeRequest } from '../../../features/commands/merge-requests/merge-requests.ts'
import { setSubscription } from '../../../features/discussion/subscriptions/subscriptions.ts'
import { completeTodosOf, markAsTodo } from '../../../features/discussion/todos/todos.ts'
import { addSpentTime, setEstimate } from '../../../features/planning/issuables/issuables.ts'
import { approvalSettingsOf } from '../../../features/review/approval-rules/approval-rules.ts'
import { approve, unapprove } from '../../../features/review/approvals/approvals.ts'
import { changeMergeRequestIn, draftTitle, mergeRequestInPath, readyTitle } from '../../../features/review/merge-requests/merge-requests.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { action, type Typed } from '../../frame/declaration.ts'
import { assertProved } from '../../frame/proof.ts'
import { mergeRequestForm, requestOf } from './fields.ts'
import { overview } from './overview.ts'
import { mergeRequestAddress } from './parts.ts'
import { noteableOf } from './seen.ts'
import { sentences } from './sentences.ts'

const duration = Type.Optional(Type.String({ maxLength: 300 }))
const { assignee, reviewers, labels, create_labels, milestone_id } = mergeRequestForm
const plannable = within(unarchived(project('manage_merge_requests')), mergeRequestInPath)
const readable = within(project('signed-in'), mergeRequestInPath)
const approvable = within(unarchived(project('signed-in')), mergeRequestInPath)

export const mergeRequestDetailPages = [
  action('POST /:project/merge_requests/:merge_request_iid/details', {
    access: plannable,
    form: { assignee, reviewers, labels, create_labels, milestone_id, estimate: duration, spent: duration },
    async act({ app, actor, project, merge_request, sent: { estimate, spent, ...sent } }) {
      if (estimate !== undefined) await setEstimate(app, actor, changeMergeRequestIn, merge_request.id, estimate.trim() || null)
      else if (spent !== undefined) await addSpentTime(app, actor, changeMergeRequestIn, merge_request.id, spent)
      else await changeMergeRequest(app, actor, merge_request, await requestOf(app, project, sent))
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.saved }
    },
    again: (context, typed) => overview(context, { refusedDetail: inOurNames(typed) }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/state', {
    access: editableMergeRequest,
    form: { state_event: oneOf('close', 'reopen') },
    async act({ app, actor, project, merge_request, sent: { state_event } }) {
      const { state } = await changeMergeRequest(app, actor, merge_request, { state_event })
      const notice = state === 'closed' ? (state_event === 'close' ? sentences.closed : sentences.notReopened) : sentences.reopened
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/draft', {
    access: editableMergeRequest,
    form: { draft: Type.Boolean() },
    async act({ app, actor, project, merge_request, sent: { draft } }) {
      const title = draft ? draftTitle(merge_request.title) : readyTitle(merge_request.title)
      await changeMergeRequest(app, actor, merge_request, { title })
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: draft ? sentences.drafted : sentences.ready }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/lock', {
    access: plannable,
    form: { discussion_locked: Type.Boolean() },
    async act({ app, actor, project, merge_request, sent: { discussion_locked } }) {
      await changeMergeRequest(app, actor, merge_request, { discussion_locked })
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.saved }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/approve', {
    access: approvable,
    form: { sha: Type.String({ default: '', maxLength: 100 }), proof: Type.String({ default: '', maxLength: 1_000 }) },
    async act({ sent: { sha, proof }, ...visit }) {
      const { app, user, project, level, merge_request } = visit
      const isAsked = (await approvalSettingsOf(app.db, project.id)).require_password_to_approve
      if (isAsked) await assertProved(visit, proof, { always: true })
      await approve(app, user, { project, level }, merge_request, { sha: sha || null, isProven: isAsked })
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.approved }
    },
    again: (context, typed) => overview(context, { refusedApproval: typed }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/unapprove', {
    access: approvable,
    async act({ app, user, project, merge_request }) {
      await unapprove(app, user, merge_request.id)
      return { redirect: mergeRequestAddress(project, merge_request.iid), notice: sentences.unapproved }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/subscription', {
    access: readable,
    form: { subscribed: Type.Boolean() },
    async act({ app, user, sent: { subscribed }, ...seen }) {
      await setSubscription(app, user, noteableOf(seen), subscribed)
      const notice = subscribed ? sentences.subscribed : sentences.unsubscribed
      return { redirect: mergeRequestAddress(seen.project, seen.merge_request.iid), notice }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/todo', {
    access: readable,
    form: { pending: Type.Boolean() },
    async act({ app, user, sent: { pending }, ...seen }) {
      const noteable = noteableOf(seen)
      if (pending) await markAsTodo(app, user, noteable)
      else await completeTodosOf(app, user, noteable)
      const notice = pending ? sentences.todoAdded : sentences.todoDone
      return { redirect: mergeRequestAddress(seen.project, seen.merge_request.iid), notice }
    },
  }),
]

/** The service uses the field names of the API. */
function inOurNames(typed: Typed): Typed {
  const { time_estimate, time_spent, ...others } = typed.errors.of
  const of = { ...others, ...(time_estimate && { estimate: time_estimate }), ...(time_spent && { spent: time_spent }) }
  return { ...typed, errors: { ...typed.errors, of } }
}
