/** Code owners: what other features may use. */
export {
  changedPaths,
  codeOwnersAt,
  type FoundOwners,
  isOwnersFile,
  needsCodeOwners,
  ownedAmong,
  refusalOfOwned,
} from './code-owners.service.ts'
export { ownerFaultWords } from './faults.ts'
export { type OwnedBy, TooMuchToCompare } from './match.ts'
export { type OwnerError, parseCodeOwners } from './parse.ts'
