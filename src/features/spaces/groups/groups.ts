/** Groups: what others may use of them. */
export { removeGroup, removeSpaceIn } from './changes.service.ts'
export { listGroups } from './groups.queries.ts'
