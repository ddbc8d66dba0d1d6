/** Access requests: what others may use of them. */
export { newcomers } from './access-requests.access.ts'
export { findRequester, listRequesters, type Requester } from './access-requests.queries.ts'
export { approveRequest, getRequester, removeRequest, requestAccess } from './access-requests.service.ts'
