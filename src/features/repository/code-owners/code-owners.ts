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
export { type OwnedBy, TooMuchToCompare } from './match.ts'
export { type OwnerError, type OwnerFault, parseCodeOwners } from './parse.ts'
