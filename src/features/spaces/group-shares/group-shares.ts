/** Group shares: what other features may use. */
export {
  deleteExpiredShares as removeExpiredShares,
  deleteShare as removeShare,
  groupsSharing,
  listShares,
  type SharedPlace,
  type SharedWith,
} from './group-shares.queries.ts'
export { changeShare, getShare, shareGroup, shareProject } from './group-shares.service.ts'
