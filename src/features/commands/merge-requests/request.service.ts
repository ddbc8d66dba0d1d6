/**
 * Selects the fields of a request that apply to a merge request: by the role of the sender and the features of the projects. As in the
 * reference, other fields are ignored.
 */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { canManageMergeRequests, canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { mayAct } from '../../../access/states.ts'
import { findUser } from '../../../access/users.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import {
  type Actor,
  acceptLabels,
  acceptMilestone,
  type CommonRequest,
  requestedAssignees,
  usersIn,
} from '../../planning/issuables/issuables.ts'
import type { MergeRequestChange } from '../../review/merge-requests/merge-requests.ts'

export interface MergeRequestRequest extends CommonRequest {
  reviewer_ids?: Array<number | null> | null | undefined
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
  const reviewers = request.reviewer_ids === undefined ? undefined : usersIn(request.reviewer_ids)
  return {
    ...open,
    discussion_locked: merge_request ? request.discussion_locked : undefined,
    assignee_ids: await acceptPeople(tx, actor.project, requestedAssignees(request), 1),
    reviewer_ids: await acceptPeople(tx, actor.project, reviewers, maxPeople),
    milestone_id: await acceptMilestone(tx, actor, request),
    label_ids: await acceptLabels(tx, actor, 'merge_request_labels', merge_request?.id ?? null, request),
  }
}

/** The users among the first `max` who can see merge requests of the project; undefined, as if nothing was sent, if there are none. */
async function acceptPeople(tx: Tx, project: LocatedProject, sent: number[] | undefined, max: number): Promise<number[] | undefined> {
  if (sent === undefined || sent.length === 0) return sent
  const accepted = []
  for (const id of sent.slice(0, max)) if (await canTakePart(tx, project, id)) accepted.push(id)
  return accepted.length === 0 ? undefined : accepted
}

/** Whether a user can be assigned or asked for a review: they must be able to see it. */
export async function canTakePart(db: Db, project: LocatedProject, userId: number): Promise<boolean> {
  const user = await findUser(db, String(userId))
  if (!user || !mayAct(user)) return false
  const access = await findProject(db, String(project.id), user).catch(nullIfMissing)
  return access !== null && canSeeMergeRequests(access, user)
}
