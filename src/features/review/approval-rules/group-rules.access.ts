/** Access to approval rules and settings of a group, for endpoints and pages. Only owners have it, since all projects below must obey. */
import { type GroupGranted, group, only, type SignedIn } from '../../../http/declare/rules.ts'

export const groupApprovalsSeen = group('edit_group')

export const groupApprovalsManaged = only(groupApprovalsSeen, {
  description: 'while it is not archived',
  holds: ({ group }: GroupGranted & SignedIn) => !group.archived,
})
