/** Merging: what other features may use. */
export { type ClosedIssue, closedIssues } from './closing.ts'
export { type Conflicts, conflictsOf, resolveConflicts, type Unresolved, usualMessage } from './conflicts.service.ts'
export { commitMessages } from './facts.ts'
export { lockForMerge, notOpen } from './marking.ts'
export type { WrittenMerge } from './merge-commits.ts'
export { addClosedIssues, isProposed } from './merging.queries.ts'
export { cancelMerge, mayPassTrain, mergeMergeRequest, scheduleMerge } from './merging.service.ts'
export { rebaseMergeRequest } from './rebase.service.ts'
export type { ConflictShown, FileResolution, Side } from './resolutions.ts'
export { lastOfBelow, restack, transplanted } from './restack.service.ts'
export { mayPushToSource } from './source-branch.ts'
export type { UnderWay } from './under-way.ts'
export {
  assertNotBlocked,
  assertStillApproved,
  assertStillChecked,
  assertStillDiscussed,
  closingBy,
  isSquashed,
  removesSourceOf,
  writeMergeOf,
} from './writing.service.ts'
