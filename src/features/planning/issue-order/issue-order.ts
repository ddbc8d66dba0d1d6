/** The order of issues in lists of boards: what other features may use. */
export { inScope, listPosition, type OrderScope } from './issue-order.queries.ts'
export { type Neighbours, placeIssue } from './issue-order.service.ts'
