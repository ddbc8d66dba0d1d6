/** Environments and deployments: what other features may use. */
export { type ApprovalState, approvalStateOf, decide, maySay } from './approvals.service.ts'
export { deploymentAt, deploymentBefore, lastDeploymentsOf, listDeployments } from './deployments.queries.ts'
export { slugOf as environmentSlug } from './environment-names.ts'
export {
  deploymentDecidedInEnvironment,
  deploymentSeen,
  environmentSeen,
  environmentStopped,
  environmentsSeen,
} from './environments.access.ts'
export { environmentsById, listEnvironments } from './environments.queries.ts'
export { deploymentActionOf, mayStop, startAction, stopActionOf, stopEnvironment } from './environments.service.ts'
