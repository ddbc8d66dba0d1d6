/** Approvals: what others may use of them. */
export { type Approval, approvalsOf } from './approvals.queries.ts'
export { approveIn, canApprove, mayApprove, unapproveIn } from './approvals.service.ts'
