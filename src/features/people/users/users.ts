/** Users: what other features may use. */

export { assertPassword, confirmAccount, confirmAddress, setPassword } from './confirmation.service.ts'
export { addressesOf, allEmails, emailOfUser, findAddress, holderOfAddress } from './emails.queries.ts'
export { addEmail, removeEmail } from './emails.service.ts'
export { resetFeedToken } from './feed-token.service.ts'
export { dashboards, type Preferences, setPreferences } from './preferences.service.ts'
export { changeUserState, isDormant, type StateAct, setUserState } from './states.service.ts'
export { statusOf, type UserStatus } from './status.queries.ts'
export { setStatus } from './status.service.ts'
export { seesUsers } from './users.access.ts'
export { presentUserBrief, presentUserProfile, stateOf, type UserInBrief } from './users.present.ts'
export {
  belongingsOf,
  findPeople,
  hasAddress,
  isFoundBy,
  listUsers,
  type UserFilter,
  type UserSearch,
  updateUser,
  usersByAddress,
  usersInBrief,
} from './users.queries.ts'
export { emailError, readEmail } from './users.rules.ts'
export { areHiddenFrom, blankUser, createUser, insertAccount, insertBot, noReplyAddress, presentAccount } from './users.service.ts'
export { changeUser, keepAnAdministrator, loadLockedUser, lockOwnNamespace, type UserChange } from './writes.service.ts'
