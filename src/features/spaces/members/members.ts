/** Members: what other features may use. */
export {
  listAllMembers,
  listMembersWithSources,
  type MemberOrder,
  memberOrders,
  type SourcedMember,
  type Whole,
} from './inherited.queries.ts'
export { memberInPath, noBot, notItsOwner } from './members.access.ts'
export { presentMember } from './members.present.ts'
export { everyMember, findMember, insertMember, lockPlace, type Member, type Place } from './members.queries.ts'
export {
  addMember,
  assertKnownLevel,
  changeMember,
  copyMembers,
  endMembership,
  enrol,
  ensureOwner,
  extendMembership,
  removeMember,
} from './members.service.ts'
