/** Group shares: what others may use of them. */
export {
  deleteExpiredShares as removeExpiredShares,
  deleteShare as removeShare,
  groupsSharing,
  listShares,
  type SharedPlace,
  type SharedWith,
} from './group-shares.queries.ts'
export { changeShare, getShare, shareGroup, shareProject } from './group-shares.service.ts'
