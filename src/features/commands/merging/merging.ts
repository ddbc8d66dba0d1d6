/** Merging: what other features may use. */
export { type ClosedIssue, closedIssues } from './closing.ts'
export { type Conflicts, conflictsOf, resolveConflicts, type Unresolved, usualMessage } from './conflicts.service.ts'
export { commitMessages } from './facts.ts'
export { mergeRefOf } from './merge-ref.service.ts'
export { addClosedIssues } from './merging.queries.ts'
export { cancelMerge, type MergeParams, mergeMergeRequest } from './merging.service.ts'
export { rebaseMergeRequest } from './rebase.service.ts'
export type { ConflictShown, FileResolution, Side } from './resolutions.ts'
