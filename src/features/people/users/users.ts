/** Users: what others may use of them. */
export { changeUser, keepAnAdministrator, loadLockedUser, lockOwnNamespace, setUserState } from './changes.service.ts'
export { addressesOf, holderOfAddress } from './emails.queries.ts'
export { resetFeedToken } from './feed-token.service.ts'
export { presentUserBrief, stateOf, type UserInBrief } from './users.present.ts'
export { findPeople, hasAddress, isFoundBy, listUsers, type UserSearch } from './users.queries.ts'
export { blankUser, createUser, insertAccount, insertBot, presentAccount } from './users.service.ts'
