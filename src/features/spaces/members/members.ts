/** Members: what others may use of them. */
export { presentMember } from './members.present.ts'
export { findMember, insertMember, lockPlace, type Member, type Place } from './members.queries.ts'
export { endMembership, enrol, ensureOwner, extendMembership, removeMember } from './members.service.ts'
