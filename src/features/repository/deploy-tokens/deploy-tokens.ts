/** Deploy tokens: what others may use of them. */
export { deleteDeployToken, deployTokenAt, listDeployTokens } from './deploy-tokens.queries.ts'
export {
  createDeployToken,
  findDeployToken,
  hasExpired,
  isForProject,
  readsRepositories,
  usernameOf,
} from './deploy-tokens.service.ts'
