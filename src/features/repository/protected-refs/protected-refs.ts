/** Protected branches and tags: what other features and pages may use of them. */
export { presentBranchRule } from './protected-refs.present.ts'
export { branchRulesOf, tagRulesOf } from './protected-refs.queries.ts'
export {
  type BranchProtection,
  branchProtectionOf,
  changeBranchRule,
  changeTagRule,
  developersMay,
  isProtectedBranch,
  isProtectedTag,
  isRuleFor,
  mayCreateFirstBranch,
  mayCreateTag,
  mayForcePushTo,
  mayMergeInto,
  mayPushTo,
  type Protection,
  permitDevelopers,
  protectBranch,
  protectionLevels,
  protectionOf,
  protectTag,
  removeBranchRule,
  removeTagRule,
  unprotectBranch,
} from './protected-refs.service.ts'
