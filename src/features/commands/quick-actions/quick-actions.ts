/** Quick actions: what other features may use. */
export { readMergeRequest } from './arguments.ts'
export { knownFor } from './known.service.ts'
export { type QuickActionName, quickActionNames } from './names.ts'
export { applyUpdates, type Interpreted, interpretQuickActions, runQuickActions } from './quick-actions.service.ts'
export { type Command, type SplitText, splitQuickActions } from './split.ts'
export { type Known, nothingKnown } from './subjects.ts'
export { issueChangeOf, mergeRequestChangeOf, type Updates } from './updates.ts'
