/** What of a request for a merge request counts: by the role of who sent it, and by what the projects have. As in the reference, the rest is ignored. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { canManageMergeRequests, canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { findUser } from '../../../access/users.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { findLabelsByTitles, findOrCreateLabels, titlesIn } from '../../planning/labels/labels.ts'
import { findMilestoneFor } from '../../planning/milestones/milestones.ts'
import { type Actor, type MergeRequestChange, mergeRequestLabelIds } from '../../review/merge-requests/merge-requests.ts'

/** What isn't sent is undefined. */
export interface MergeRequestRequest {
  /** Null is an empty one, which is refused. */
  title?: string | null | undefined
  description?: string | null | undefined
  assignee_id?: number | null | undefined
  assignee_ids?: Array<number | null> | null | undefined
  reviewer_ids?: Array<number | null> | null | undefined
  milestone_id?: number | null | undefined
  /** Each may be several, with commas between them. */
  labels?: string[] | null | undefined
  add_labels?: string[] | null | undefined
  remove_labels?: string[] | null | undefined
  discussion_locked?: boolean | null | undefined
  remove_source_branch?: boolean | null | undefined
  allow_collaboration?: boolean | undefined
  allow_maintainer_to_push?: boolean | undefined
  squash?: boolean | undefined
}

const maxPeople = 100

/**
 * The change that a request asks for, without description and branches. `merge_request` is null while it is being created.
 * @param mayCollaborate whether the actor may let others push to the source branch
 */
export async function acceptRequest(
  tx: Tx,
  actor: Actor,
  merge_request: MergeRequest | null,
  request: MergeRequestRequest,
  mayCollaborate: boolean,
): Promise<MergeRequestChange> {
  const { squash, allow_collaboration, allow_maintainer_to_push } = request
  const open: MergeRequestChange = {
    title: request.title === null ? '' : request.title,
    squash,
    force_remove_source_branch: request.remove_source_branch ?? undefined,
    allow_collaboration: mayCollaborate ? (allow_collaboration ?? allow_maintainer_to_push) : undefined,
  }
  if (!canManageMergeRequests(actor)) return open
  return {
    ...open,
    discussion_locked: merge_request ? request.discussion_locked : undefined,
    assignee_ids: await acceptAssignees(tx, actor, request),
    reviewer_ids: await acceptPeople(tx, actor.project, request.reviewer_ids, maxPeople),
    milestone_id: await acceptMilestone(tx, actor, request),
    label_ids: await acceptLabels(tx, actor, merge_request, request),
  }
}

function acceptAssignees(tx: Tx, { project }: Actor, { assignee_ids, assignee_id }: MergeRequestRequest): Promise<number[] | undefined> {
  const sent = assignee_ids === undefined && assignee_id !== undefined ? [assignee_id] : assignee_ids
  return acceptPeople(tx, project, sent, 1)
}

/** Those of the first `max` who can see merge requests of the project; undefined, as if nothing was sent, where that is none of them. */
async function acceptPeople(
  tx: Tx,
  project: LocatedProject,
  sent: Array<number | null> | null | undefined,
  max: number,
): Promise<number[] | undefined> {
  if (sent === undefined) return undefined
  const ids = [...new Set((sent ?? []).filter((id) => id !== null && id > 0) as number[])].slice(0, max)
  if (ids.length === 0) return []
  const accepted = []
  for (const id of ids) if (await canTakePart(tx, project, id)) accepted.push(id)
  return accepted.length === 0 ? undefined : accepted
}

/** Whether they can be assigned and asked for a review: people who can see it. */
export async function canTakePart(db: Db, project: LocatedProject, userId: number): Promise<boolean> {
  const user = await findUser(db, String(userId))
  if (user?.state !== 'active') return false
  const access = await findProject(db, String(project.id), user).catch(nullIfMissing)
  return access !== null && canSeeMergeRequests(access, user)
}

async function acceptMilestone(tx: Tx, { project }: Actor, { milestone_id }: MergeRequestRequest): Promise<number | null | undefined> {
  if (milestone_id === undefined) return undefined
  if (milestone_id === null || milestone_id === 0) return null
  return (await findMilestoneFor(tx, project, milestone_id))?.id
}

async function acceptLabels(
  tx: Tx,
  actor: Actor,
  merge_request: MergeRequest | null,
  request: MergeRequestRequest,
): Promise<number[] | undefined> {
  const { labels, add_labels, remove_labels } = request
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return undefined
  const current = merge_request && labels === undefined ? await mergeRequestLabelIds(tx, merge_request.id) : []
  const added = await findOrCreateLabels(tx, actor, titlesIn([...(labels ?? []), ...(add_labels ?? [])]))
  const removed = await findLabelsByTitles(tx, actor.project, titlesIn(remove_labels ?? []))
  const after = new Set([...current, ...added.map(({ id }) => id)])
  for (const { id } of removed) after.delete(id)
  return [...after]
}
