/** Protected branches and tags: what other features and pages may use of them. */
export { branchRulesOf, deleteBranchRule, deleteTagRule, tagRulesOf } from './protected-refs.queries.ts'
export {
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
  unprotectBranch,
} from './protected-refs.service.ts'
