/** Deploy keys: what others may use of them. */
export { findDeployKeyProject } from './deploy-keys.service.ts'
