/** Deploy tokens: what other features may use. */
export { deployTokenAt, listDeployTokens } from './deploy-tokens.queries.ts'
export {
  createDeployToken,
  findDeployToken,
  hasExpired,
  isForProject,
  readsRepositories,
  removeDeployToken,
  usernameOf,
} from './deploy-tokens.service.ts'
