/** Group shares: what others may use of them. */
export { deleteExpiredShares as removeExpiredShares } from './group-shares.queries.ts'
