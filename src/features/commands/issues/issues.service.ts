/** Creates, changes and deletes issues, including the quick actions in descriptions. */
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant, Issue } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { assertNotSpam } from '../../instance/spam/spam.ts'
import { type Client, keepUserAgent } from '../../instance/user-agents/user-agents.ts'
import type { Actor } from '../../planning/issuables/issuables.ts'
import { changeIssueIn, createIssueIn, type IssueChange, lockIssue, removeIssueIn } from '../../planning/issues/issues.ts'
import { applyUpdates, interpretQuickActions, splitQuickActions } from '../quick-actions/quick-actions.ts'
import { acceptRequest, type IssueRequest } from './request.service.ts'

export interface NewIssueRequest extends IssueRequest {
  title: string
  created_at?: Instant | undefined
  iid?: number | undefined
}

export interface IssueChangeRequest extends IssueRequest {
  state_event?: 'close' | 'reopen' | undefined
  updated_at?: Instant | undefined
}

/**
 * Creates an issue with everything that follows from it. Fields that the actor may not set are ignored; only owners may set the creation
 * date and number. Throws 400 for an invalid field, and for spam.
 */
export async function createIssue(app: App, actor: Actor, request: NewIssueRequest, client: Client): Promise<Issue> {
  await assertPublicTextIsNotSpam(app, actor, null, request)
  return inTransaction(app.db, async (tx) => {
    const { text, commands } = splitQuickActions(request.description ?? '')
    const accepted = await acceptRequest(tx, actor, null, request)
    const { updates } = await interpretQuickActions(tx, app.config, actor, { kind: 'issue', row: null }, commands)
    const { add_label_ids = [], spend_time, ...planned } = updates
    const isOwner = may('set_dates', actor.level)
    const created_at = (isOwner ? request.created_at : undefined) ?? now()
    const issue = await createIssueIn(tx, actor, {
      title: planned.title ?? request.title,
      description: request.description == null ? null : text,
      confidential: planned.confidential ?? accepted.confidential,
      discussion_locked: accepted.discussion_locked,
      milestone_id: planned.milestone_id ?? accepted.milestone_id,
      due_date: planned.due_date ?? accepted.due_date,
      time_estimate: planned.time_estimate,
      assignee_ids: planned.assignee_ids ?? accepted.assignee_ids,
      label_ids: [...new Set([...(accepted.label_ids ?? []), ...add_label_ids])],
      created_at,
      iid: isOwner ? request.iid : undefined,
    })
    await keepUserAgent(tx, { issue_id: issue.id }, client)
    return spend_time ? applyUpdates(tx, app.config, actor, { kind: 'issue', row: issue }, { spend_time }) : issue
  })
}

/**
 * Changes the fields that were sent, with everything that follows from it. Fields that the actor may not set are ignored. Throws 400 for an
 * invalid field and for spam, 404 if the issue was deleted meanwhile.
 */
export async function changeIssue(app: App, actor: Actor, issue: Issue, request: IssueChangeRequest): Promise<Issue> {
  await assertPublicTextIsNotSpam(app, actor, issue, request)
  return inTransaction(app.db, (tx) => changeRequestedIn(tx, app, actor, issue, request))
}

/** As `changeIssue`, for several issues: all or none. */
export async function changeIssues(app: App, actor: Actor, issues: readonly Issue[], request: IssueChangeRequest): Promise<void> {
  // Locked in the order of their ids: two such changes could otherwise deadlock.
  const ordered = [...issues].sort((one, other) => one.id - other.id)
  await inTransaction(app.db, async (tx) => {
    for (const issue of ordered) await changeRequestedIn(tx, app, actor, issue, request)
  })
}

async function changeRequestedIn(tx: Tx, app: App, actor: Actor, seen: Issue, request: IssueChangeRequest): Promise<Issue> {
  // Labels may be added to the present ones, so no other change may come in between.
  const issue = await lockIssue(tx, seen.id)
  if (!issue) throw notFound('Issue')
  const { description, state_event, updated_at } = request
  const { text, commands } = splitQuickActions(description ?? '')
  const change: IssueChange = {
    ...(await acceptRequest(tx, actor, issue, request)),
    description: description === undefined || description === null ? description : text,
    state: stateAfter(issue, state_event),
  }
  const at = may('set_dates', actor.level) ? updated_at : undefined
  const changed = await changeIssueIn(tx, actor, issue.id, change, at)
  const on = { kind: 'issue', row: changed } as const
  const { updates } = await interpretQuickActions(tx, app.config, actor, on, commands)
  return applyUpdates(tx, app.config, actor, on, updates)
}

/** Only text that anybody can read goes to the spam service: text for members stays on this server. */
async function assertPublicTextIsNotSpam(
  app: App,
  { user, project }: Actor,
  before: Issue | null,
  { title = before?.title ?? '', description = before?.description, confidential = before?.confidential }: IssueChangeRequest,
): Promise<void> {
  if (project.visibility !== 'public' || project.issues_access_level !== 'enabled' || confidential) return
  const isSame = before?.confidential === false && title === before.title && (description ?? '') === (before.description ?? '')
  if (!isSame) await assertNotSpam(app, user, () => ({ kind: 'issue', title: title ?? '', text: description ?? '' }))
}

/** A locked issue stays closed. */
function stateAfter({ discussion_locked }: Issue, event: IssueChangeRequest['state_event']): IssueChange['state'] {
  if (event === undefined || (event === 'reopen' && discussion_locked)) return undefined
  return event === 'close' ? 'closed' : 'opened'
}

export async function removeIssue(app: App, actor: Actor, issue: Issue): Promise<void> {
  await inTransaction(app.db, (tx) => removeIssueIn(tx, actor.user.id, issue.id))
}
