/** Approvals: what other features may use. */
export { type Approval, approvalsOf } from './approvals.queries.ts'
export { approve, approveIn, canApprove, mayApprove, unapprove, unapproveIn } from './approvals.service.ts'
