/** Access rules for changing merge requests. */
import { canUpdateMergeRequest } from '../../../access/merge-requests.ts'
import { type Condition, only, type ProjectGranted, project, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { type MergeRequestGranted, mergeRequestInPath } from '../../review/merge-requests/merge-requests.ts'

const editing: Condition<ProjectGranted & SignedIn & MergeRequestGranted> = {
  description: 'its author, its assignees and members with at least the role developer',
  async holds({ level, user, merge_request }, { app }) {
    const assigneeIds = await peopleIds(app.db, 'merge_request_assignees', merge_request.id)
    return canUpdateMergeRequest({ level }, merge_request, assigneeIds, user)
  },
}

export const visibleMergeRequest = within(project('signed-in'), mergeRequestInPath)

/** Grants the merge request in the path to users who may edit it. */
export const editableMergeRequest = only(within(unarchived(project('signed-in')), mergeRequestInPath), editing)
