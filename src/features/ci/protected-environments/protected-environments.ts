/** Protected environments: what other features may use. */
export { environmentTiers } from '../../../ci/plan.ts'
export {
  approvingRules,
  askingRules,
  countingFor,
  fits,
  mayApprove,
  mayDeployTo,
  missingApprovals,
  needsApprovals,
  type Refusal,
  refusedJobs,
  requireDeployer,
} from './guard.service.ts'
export { protectionInPath, protectionsManaged } from './protected-environments.access.ts'
export { presentApprovingRule, wordsFor } from './protected-environments.present.ts'
export {
  approvalsOf,
  deleteProtection,
  guardedJobs,
  listProtections,
  namesIn,
  type Protection,
  type ProtectionPlace,
  protectionPlace,
  protectionsOf,
  saveApproval,
} from './protected-environments.queries.ts'
export { protectEnvironment } from './protected-environments.service.ts'
export { candidatesOf, type Standing, standingOf } from './standing.queries.ts'
