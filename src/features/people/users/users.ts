/** Users: what others may use of them. */
export { changeUser, keepAnAdministrator, loadLockedUser, lockOwnNamespace } from './changes.service.ts'
export { presentUserBrief, stateOf, type UserInBrief } from './users.present.ts'
export { hasAddress, isFoundBy, type UserSearch } from './users.queries.ts'
export { blankUser, createUser, insertAccount, presentAccount } from './users.service.ts'
