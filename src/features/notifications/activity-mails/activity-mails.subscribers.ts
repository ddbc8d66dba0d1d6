/** Enqueues mail about activity, in the transaction of the event. Nothing is enqueued if no mail is sent. */
import type { Tx } from '../../../db/database.ts'
import type { Site } from '../../../domain-events/domain-events.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { namesAddedTo } from '../../discussion/references/references.ts'
import { keyOf, noteableOfEvent } from '../../noteable-kinds.ts'
import { mailCommentJob, writeMailJob } from './activity-mails.jobs.ts'
import { type Act, type Notice, plain } from './notices.ts'

const maxCommits = 20

type OfIssue = Pick<EventOf<'issue_closed'>, 'issue' | 'actor_id' | 'at'>
type OfMergeRequest = Pick<EventOf<'merge_request_closed'>, 'merge_request' | 'actor_id' | 'at'>

async function write(tx: Tx, notice: Notice, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, writeMailJob, notice)
}

export function mailOfIssue(act: Act) {
  return (tx: Tx, { issue, actor_id, at }: OfIssue, site: Site): Promise<void> =>
    write(tx, { ...plain, act, on: { kind: 'issue', id: issue.id }, actor_id, at }, site)
}

export function mailOfMergeRequest(act: Act) {
  return (tx: Tx, { merge_request, actor_id, at }: OfMergeRequest, site: Site): Promise<void> =>
    write(tx, { ...plain, act, on: { kind: 'merge_request', id: merge_request.id }, actor_id, at }, site)
}

export function mailOfAsking(tx: Tx, event: EventOf<'merge_request_approval_asked'>, site: Site): Promise<void> {
  const { merge_request, actor_id, at, user_ids } = event
  const on = { kind: 'merge_request', id: merge_request.id } as const
  return write(tx, { ...plain, act: 'ask_approval', on, actor_id, at, asked: user_ids }, site)
}

/** Nothing where somebody took it out by hand. */
export async function mailOfLeaving(tx: Tx, event: EventOf<'merge_request_unqueued'>, site: Site): Promise<void> {
  const { merge_request, actor_id, at, because } = event
  if (because === null) return
  await write(tx, { ...plain, act: 'unqueued', on: { kind: 'merge_request', id: merge_request.id }, actor_id, at, because }, site)
}

/** The copy of a moved issue isn't new to users who are notified of the move. */
export async function mailOfNewIssue(tx: Tx, event: EventOf<'issue_created'>, site: Site): Promise<void> {
  if (event.copy_of !== null) return
  const { issue, actor_id, at, assignee_ids } = event
  await write(
    tx,
    { ...plain, act: 'new', on: { kind: 'issue', id: issue.id }, actor_id, at, assignees: { added: assignee_ids, removed: [] } },
    site,
  )
}

export function mailOfNewMergeRequest(tx: Tx, event: EventOf<'merge_request_created'>, site: Site): Promise<void> {
  const { merge_request, actor_id, at, assignee_ids } = event
  const assignees = { added: assignee_ids, removed: [] }
  return write(tx, { ...plain, act: 'new', on: { kind: 'merge_request', id: merge_request.id }, actor_id, at, assignees }, site)
}

export async function mailOfAssignees(
  tx: Tx,
  event: EventOf<'issue_changed'> | EventOf<'merge_request_changed'>,
  site: Site,
): Promise<void> {
  const { assignees, actor_id, at } = event
  if (assignees.added.length === 0 && assignees.removed.length === 0) return
  await write(tx, { ...plain, act: 'reassign', on: keyOf(noteableOfEvent(event)), actor_id, at, assignees }, site)
}

export function mailOfPush(tx: Tx, event: EventOf<'merge_request_pushed'>, site: Site): Promise<void> {
  const { merge_request, actor_id, at, added_oids } = event
  const pushed = { commits: added_oids.slice(0, maxCommits), commit_count: added_oids.length }
  return write(tx, { ...plain, ...pushed, act: 'push_to', on: { kind: 'merge_request', id: merge_request.id }, actor_id, at }, site)
}

export async function mailOfNote(tx: Tx, { note, noteable, actor_id, at }: EventOf<'note_created'>, site: Site): Promise<void> {
  await write(tx, { ...plain, act: 'note', on: keyOf(noteable), actor_id, at, note_id: note.id }, site)
}

type Changed = EventOf<'issue_changed' | 'merge_request_changed'>

/** Users who are mentioned in a description since its last change. */
export async function mailOfMentions(tx: Tx, event: Changed, site: Site): Promise<void> {
  const { actor_id, at, before } = event
  const on = noteableOfEvent(event)
  const names = site.mail === null ? [] : namesAddedTo(on.row.description ?? '', before.description ?? '', site.url)
  if (names.length > 0) await write(tx, { ...plain, act: 'mention', on: keyOf(on), actor_id, at, names }, site)
}

/** Users who are mentioned in a note since its last change. System notes mention nobody. */
export async function mailOfNoteMentions(tx: Tx, event: EventOf<'note_changed'>, site: Site): Promise<void> {
  const { actor_id, at, before, note, noteable } = event
  const names = site.mail === null || note.system ? [] : namesAddedTo(note.body, before.body, site.url)
  if (names.length > 0) await write(tx, { ...plain, act: 'mention', on: keyOf(noteable), actor_id, at, note_id: note.id, names }, site)
}

export async function mailOfComment(tx: Tx, { comment }: EventOf<'snippet_commented'>, { mail }: Site): Promise<void> {
  if (mail !== null) await enqueue(tx, mailCommentJob, { comment_id: comment.id, mentioned_since: null })
}

/** Users who are mentioned in a comment on a personal snippet since it was edited. */
export async function mailOfCommentMentions(tx: Tx, event: EventOf<'snippet_comment_changed'>, { mail, url }: Site): Promise<void> {
  const { comment, actor_id, at, before } = event
  const names = mail === null ? [] : namesAddedTo(comment.body, before, url)
  if (names.length > 0) await enqueue(tx, mailCommentJob, { comment_id: comment.id, mentioned_since: { actor_id, at, names } })
}
