/** Who sees and changes what a group demands of merge requests: its owners; for endpoints and pages. */
import { type GroupGranted, group, only, type SignedIn } from '../../../http/declare/rules.ts'

export const groupApprovalsSeen = group('edit_group')

export const groupApprovalsManaged = only(groupApprovalsSeen, {
  description: 'while it is not archived',
  holds: ({ group }: GroupGranted & SignedIn) => !group.archived,
})
