/** Invitations: what others may use of them. */
export { invitationById, listInvitations, pathOfInvitation, type SentInvitation, sealedTokenOf } from './invitations.queries.ts'
export {
  acceptInvitation,
  changeInvitation,
  getInvitation,
  invitationByToken,
  invite,
  lifeOfInvitation_days,
  openToken,
  removeInvitation,
  sendAgain,
} from './invitations.service.ts'
