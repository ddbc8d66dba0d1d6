/** Groups: what others may use of them. */
export { removeSpaceIn } from './changes.service.ts'
export { listGroups } from './groups.queries.ts'
