/** Records the activity of users as events. */

import type { Insertable } from 'kysely'
import type { Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { EventAction, EventTable } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import type { MilestoneEvent } from '../../../domain-events/milestone-events.ts'
import { isCreation, isDeletion } from '../../../git/refs/ref-updates.ts'
import { columnsOf, keyOf } from '../../noteable-kinds.ts'
import { insertEvents, moveEvents, noteActivity, projectOfWiki } from './activity.queries.ts'

/** One event per branch and tag. */
export function recordPushActivity(tx: Tx, { project_id, user_id, at, changes }: EventOf<'refs_pushed'>): Promise<void> {
  const shown = changes.filter(({ ref }) => /^refs\/(heads|tags)\//.test(ref))
  return insertEvents(
    tx,
    shown.map((change) => ({
      project_id,
      author_id: user_id,
      created_at: at,
      action: 'pushed' as const,
      target_type: null,
      ref: change.ref,
      before_oid: isCreation(change) ? null : change.before,
      after_oid: isDeletion(change) ? null : change.after,
      commit_count: null,
      commit_title: null,
    })),
  )
}

export function recordProject(tx: Tx, { project_id, creator_id }: EventOf<'project_created'>): Promise<void> {
  return insertEvents(tx, [{ project_id, author_id: creator_id, action: 'created', created_at: now() }])
}

export function recordIssue(tx: Tx, { issue, actor_id }: EventOf<'issue_created'>): Promise<void> {
  return recordOn(tx, issue.project_id, { author_id: actor_id, action: 'created', target_type: 'Issue', issue_id: issue.id })
}

export function recordIssueClosing(tx: Tx, { issue, actor_id }: EventOf<'issue_closed'>): Promise<void> {
  return recordOn(tx, issue.project_id, { author_id: actor_id, action: 'closed', target_type: 'Issue', issue_id: issue.id })
}

export function recordIssueReopening(tx: Tx, { issue, actor_id }: EventOf<'issue_reopened'>): Promise<void> {
  return recordOn(tx, issue.project_id, { author_id: actor_id, action: 'reopened', target_type: 'Issue', issue_id: issue.id })
}

type OfMergeRequest = Pick<EventOf<'merge_request_created'>, 'merge_request' | 'actor_id'>

function recordOnMergeRequest(action: EventAction) {
  return (tx: Tx, { merge_request: { id, project_id }, actor_id }: OfMergeRequest): Promise<void> =>
    recordOn(tx, project_id, { author_id: actor_id, action, target_type: 'MergeRequest', merge_request_id: id })
}

export const recordMergeRequest = recordOnMergeRequest('created')
export const recordMergeRequestClosing = recordOnMergeRequest('closed')
export const recordMergeRequestReopening = recordOnMergeRequest('reopened')
export const recordMergeActivity = recordOnMergeRequest('merged')
export const recordApproval = recordOnMergeRequest('approved')

export async function recordNote(tx: Tx, { note, noteable, actor_id: author_id, at }: EventOf<'note_created'>): Promise<void> {
  const { project_id, id: note_id } = note
  // For a note on a commit, the note identifies the commit.
  const { commit_oid: _, ...on } = columnsOf(keyOf(noteable))
  const event = { author_id, action: 'commented' as const, target_type: 'Note' as const, ...on, note_id }
  // Everyone who sees the project may see that it is active.
  if (note.internal) await insertEvents(tx, [{ ...event, project_id, created_at: at }])
  else await recordOn(tx, project_id, event, at)
}

type OfMilestone = Pick<MilestoneEvent, 'milestone' | 'actor_id'>

/** Only projects have events; milestones of groups create none. */
export function recordMilestone(action: 'created' | 'closed' | 'reopened' | 'destroyed') {
  return async (tx: Tx, { milestone: { id, project_id }, actor_id }: OfMilestone): Promise<void> => {
    if (project_id !== null) await recordOn(tx, project_id, { author_id: actor_id, action, target_type: 'Milestone', milestone_id: id })
  }
}

const hour_ms = 60 * 60_000

/** Always at the time of the action: something backdated has still happened today. */
async function recordOn(
  tx: Tx,
  project_id: number,
  event: Omit<Insertable<EventTable>, 'project_id' | 'created_at'>,
  created_at = now(),
): Promise<void> {
  await insertEvents(tx, [{ ...event, project_id, created_at }])
  await noteActivity(tx, project_id, created_at, new Date(Date.now() - hour_ms).toISOString())
}

/** A push to a wiki shows that the project is alive. Its pages are read by a job of wikis. */
export async function recordWikiActivity(tx: Tx, { wiki_id, at }: EventOf<'wiki_pushed'>): Promise<void> {
  const project_id = await projectOfWiki(tx, wiki_id)
  if (project_id !== null) await noteActivity(tx, project_id, at, new Date(Date.now() - hour_ms).toISOString())
}

type Member = { place: { project_id: number } | { namespace_id: number }; user_id: number }

export function recordJoin(tx: Tx, { place, user_id }: EventOf<'member_added'>): Promise<void> {
  return recordMembers(tx, 'joined', [{ place, user_id }])
}

export function recordLeave(tx: Tx, { place, user_id }: EventOf<'member_removed'>): Promise<void> {
  return recordMembers(tx, 'left', [{ place, user_id }])
}

export function recordExpiries(tx: Tx, { members }: EventOf<'members_expired'>): Promise<void> {
  return recordMembers(tx, 'expired', members)
}

/** Only projects have events; joining or leaving a group creates none. */
function recordMembers(tx: Tx, action: 'joined' | 'left' | 'expired', members: Member[]): Promise<void> {
  const created_at = now()
  const rows = members.flatMap(({ place, user_id }) =>
    'project_id' in place ? [{ project_id: place.project_id, author_id: user_id, action, created_at }] : [],
  )
  return insertEvents(tx, rows)
}

export async function leaveActivityToGhost(tx: Tx, { user_id, ghost_id, hard_delete }: EventOf<'user_deleted'>): Promise<void> {
  if (!hard_delete) await moveEvents(tx, user_id, ghost_id)
}
