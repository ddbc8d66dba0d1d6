/** Deploy keys: what others may use of them. */
export { publicKeys } from './deploy-keys.queries.ts'
export { findDeployKeyProject } from './deploy-keys.service.ts'
export { addPublicKey, changePublicKey, findPublicKey, removePublicKey } from './public-keys.service.ts'
