/** Groups: what other features may use. */

export { archiveGroup, unarchiveGroup } from './archiving.service.ts'
export { presentDetails } from './groups.present.ts'
export { countsInGroups, type GroupCounts, type GroupFilter, listGroups } from './groups.queries.ts'
export { assertWellFormed as assertGroupWellFormed } from './groups.rules.ts'
export {
  createGroup,
  createGroupIn,
  lockGroup as loadLockedGroup,
  mayCreateGroup,
  type NewGroup,
  refusal as groupRefusal,
} from './groups.service.ts'
export { transferGroup } from './transfer.service.ts'
export { changeGroup, type GroupChange, removeGroup, removeSpaceIn, renameGroup } from './writes.service.ts'
