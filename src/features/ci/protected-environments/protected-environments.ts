/** Protected environments: what other features may use. */
export {
  approvingRules,
  countingFor,
  fits,
  groupsIn,
  mayApprove,
  mayDeploy,
  missingApprovals,
  type Refusal,
  refusedJobs,
  requireDeployer,
  requireDeployerOf,
} from './guard.service.ts'
export { protectionInPath, protectionsManaged } from './protected-environments.access.ts'
export { presentApprovingRule, wordsFor } from './protected-environments.present.ts'
export {
  approvalsOf,
  deleteProtection,
  listProtections,
  namesIn,
  type Protection,
  protectionNamed,
  type Standing,
  saveApproval,
  standingOf,
} from './protected-environments.queries.ts'
export { protectEnvironment } from './protected-environments.service.ts'
