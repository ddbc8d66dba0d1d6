/** Protected branches and tags: what other features may use of them. */
export {
  branchProtectionOf,
  developersMay,
  isProtectedBranch,
  isProtectedTag,
  mayCreateFirstBranch,
  mayCreateTag,
  mayForcePushTo,
  mayPushTo,
  type Protection,
  permitDevelopers,
  protectionOf,
  unprotectBranch,
} from './protected-refs.service.ts'
