/** Access tokens of projects and groups: what other features may use. */
export { tokenInPath } from './resource-tokens.access.ts'
export { createResourceToken, resourceScopes } from './resource-tokens.service.ts'
