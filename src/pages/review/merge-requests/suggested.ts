/** Code owners of what a merge request changes, who are not yet among its people. */
import type { MergeRequestVersion } from '../../../db/tables.ts'
import type { UserInBrief } from '../../../features/people/users/users.ts'
import { suggestedReviewers } from '../../../features/review/approval-rules/approval-rules.ts'
import type { DescribedMergeRequest } from '../../../features/review/merge-requests/merge-requests.ts'
import type { MergeRequestSeen } from './seen.ts'

/** None once it is merged or closed. */
export async function suggestedFor(
  { app, user, project, repo, merge_request }: MergeRequestSeen,
  { author, reviewers }: Pick<DescribedMergeRequest, 'author' | 'reviewers'>,
  version: MergeRequestVersion | null,
): Promise<UserInBrief[]> {
  if (!version || merge_request.state !== 'opened') return []
  const { base_oid, head_oid } = version
  const except = [author.id, ...reviewers.map(({ id }) => id)]
  return suggestedReviewers(app, user, {
    project,
    target_branch: merge_request.target_branch,
    change: { repo, base_oid, head_oid },
    except,
  })
}
