/** Queues webhooks for events of issues, merge requests and notes. Confidential ones only go to hooks that want these. */
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { type IssueFacts, idsBefore, type NoteFacts, relatedOfIssue, relatedOfMergeRequest } from '../payloads/payloads.ts'
import { deliver, deliverTo } from './deliver.ts'
import { sendJob } from './deliveries.jobs.ts'
import { type HookInPlace, hooksOfPlace } from './deliveries.queries.ts'
import { type AboutMergeRequest, mergeRequestFacts, type OfMergeRequest } from './merge-request-facts.service.ts'
import { mergeRequestEvent, withoutOtherChecks } from './status-checks.service.ts'

function deliverIssueFacts(tx: Tx, issue: Issue, factsOf: () => Promise<IssueFacts> | IssueFacts): Promise<void> {
  const audience = issue.confidential
    ? ({ flag: 'confidential_issues_events', event: 'Confidential Issue Hook' } as const)
    : ({ flag: 'issues_events', event: 'Issue Hook' } as const)
  return deliver(tx, { place: { project_id: issue.project_id }, ...audience }, async () => [{ facts: await factsOf() }])
}

export function deliverNewIssue(tx: Tx, { issue, actor_id, assignee_ids, label_ids }: EventOf<'issue_created'>): Promise<void> {
  return deliverIssueFacts(tx, issue, () => ({
    kind: 'issue',
    action: 'open',
    project_id: issue.project_id,
    user_id: actor_id,
    row: issue,
    before: null,
    assignee_ids,
    label_ids,
  }))
}

export function deliverIssueChange(tx: Tx, { issue, before, actor_id, assignees, labels }: EventOf<'issue_changed'>): Promise<void> {
  return deliverIssueFacts(tx, issue, async () => {
    const { assignee_ids, label_ids } = await relatedOfIssue(tx, issue)
    const earlier = { ...before, assignee_ids: idsBefore(assignee_ids, assignees), label_ids: idsBefore(label_ids, labels) }
    const { project_id } = issue
    return { kind: 'issue', action: 'update', project_id, user_id: actor_id, row: issue, before: earlier, assignee_ids, label_ids }
  })
}

/** The former state: the opposite one. */
const earlierStates = {
  close: { state: 'opened', closed_at: null },
  reopen: { state: 'closed' },
} as const

export function deliverIssueState(action: 'close' | 'reopen') {
  return (tx: Tx, { issue, actor_id }: Pick<EventOf<'issue_closed'>, 'issue' | 'actor_id'>): Promise<void> =>
    deliverIssueFacts(tx, issue, async () => {
      const related = await relatedOfIssue(tx, issue)
      const { project_id } = issue
      return { kind: 'issue', action, project_id, user_id: actor_id, row: issue, before: earlierStates[action], ...related }
    })
}

function deliverMergeRequestFacts(
  tx: Tx,
  event: OfMergeRequest,
  about: AboutMergeRequest,
  changed?: Pick<EventOf<'merge_request_changed'>, 'assignees' | 'labels'>,
): Promise<void> {
  const { merge_request } = event
  const { project_id } = merge_request
  const among = (hooks: HookInPlace[]) => withoutOtherChecks(tx, merge_request, hooks)
  const audience = { place: { project_id }, flag: 'merge_requests_events', event: mergeRequestEvent, withInstance: true, among } as const
  return deliver(tx, audience, async () => [{ facts: await mergeRequestFacts(tx, event, about, changed) }])
}

export function deliverNewMergeRequest(tx: Tx, event: EventOf<'merge_request_created'>): Promise<void> {
  return deliverMergeRequestFacts(tx, event, { action: 'open', before: null })
}

export function deliverMergeRequestChange(tx: Tx, event: EventOf<'merge_request_changed'>): Promise<void> {
  return deliverMergeRequestFacts(tx, event, { action: 'update', before: event.before }, event)
}

export function deliverMergeRequestPush(tx: Tx, event: EventOf<'merge_request_pushed'>): Promise<void> {
  return deliverMergeRequestFacts(tx, event, { action: 'update', before: {}, oldrev: event.before_oid })
}

const earlierMergeRequest = {
  close: { state: 'opened' },
  reopen: { state: 'closed' },
  merge: { state: 'opened' },
  approved: {},
  unapproved: {},
} as const

export function deliverMergeRequestAct(action: keyof typeof earlierMergeRequest) {
  return (tx: Tx, event: OfMergeRequest): Promise<void> =>
    deliverMergeRequestFacts(tx, event, { action, before: earlierMergeRequest[action] })
}

/**
 * Internal notes, and notes on confidential issues, only go to hooks that want confidential events. If nobody wants notes, one statement.
 */
export async function deliverNote(tx: Tx, { note, noteable, actor_id }: EventOf<'note_created'>): Promise<void> {
  const { project_id } = note
  const hooks = await hooksOfPlace(tx, { place: { project_id }, flags: ['note_events', 'confidential_note_events'] })
  if (hooks.length === 0) return
  const issue = noteable.kind === 'issue' ? noteable.row : null
  const isConfidential = note.internal || (issue?.confidential ?? false)
  const merge_request = noteable.kind === 'merge_request' ? noteable.row : null
  const facts: NoteFacts = {
    kind: 'note',
    project_id,
    user_id: actor_id,
    note,
    isConfidential,
    issue: issue && { row: issue, ...(await relatedOfIssue(tx, issue)) },
    merge_request: merge_request && { row: merge_request, ...(await relatedOfMergeRequest(tx, merge_request)) },
    snippet_id: note.snippet_id,
  }
  const told = hooks.filter((hook) => (isConfidential ? hook.confidential_note_events : hook.note_events))
  const event = isConfidential ? 'Confidential Note Hook' : 'Note Hook'
  if (await deliverTo(tx, told, event, [{ facts }])) await enqueue(tx, sendJob, {})
}
