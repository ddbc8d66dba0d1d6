/** Access requests: what other features may use. */
export { mayRequestAccess, newcomers, requesterInPath } from './access-requests.access.ts'
export { findRequester, listRequesters, type Requester } from './access-requests.queries.ts'
export { approveAccessRequest, removeAccessRequest, requestAccess } from './access-requests.service.ts'
