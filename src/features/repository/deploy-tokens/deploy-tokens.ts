/** Deploy tokens: what others may use of them. */
export { findDeployToken, isForProject, readsRepositories, usernameOf } from './deploy-tokens.service.ts'
