/** Deploy keys: what other features may use. */
export { enableableKeys, keyOfProject, keysOfProject, type ProjectKey, publicKeys } from './deploy-keys.queries.ts'
export { addDeployKey, changeDeployKey, enableDeployKey, findDeployKeyProject, removeDeployKey } from './deploy-keys.service.ts'
export { addPublicKey, changePublicKey, findPublicKey, removePublicKey } from './public-keys.service.ts'
