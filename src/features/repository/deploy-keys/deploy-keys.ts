/** Deploy keys: what others may use of them. */
export { enableableKeys, keyOfProject, keysOfProject, type ProjectKey } from './deploy-keys.queries.ts'
export { addDeployKey, changeDeployKey, enableDeployKey, findDeployKeyProject, removeDeployKey } from './deploy-keys.service.ts'
