/** Access tokens of projects and groups: what others may use of them. */
export { tokenInPath } from './resource-tokens.access.ts'
export { createResourceToken, resourceScopes } from './resource-tokens.service.ts'
