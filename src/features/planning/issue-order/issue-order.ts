/** The order of issues in lists of boards: what others may use of it. */
export { inScope, listPosition, type OrderScope } from './issue-order.queries.ts'
export { type Neighbours, placeIssue } from './issue-order.service.ts'
