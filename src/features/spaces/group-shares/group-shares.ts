/** Group shares: what others may use of them. */
export { deleteExpiredShares as removeExpiredShares, deleteShare as removeShare, groupsSharing } from './group-shares.queries.ts'
export { getShare, shareGroup } from './group-shares.service.ts'
