/** Events of memberships. */
import type { Day, Instant } from '../db/tables.ts'

export type MemberEvent =
  | MemberAdded
  | MemberChanged
  | MemberRemoved
  | MembersExpired
  | AccessRequested
  | AccessDenied
  | InvitationSent
  | InvitationChanged
  | InvitationRemoved

/** The project or the group that a membership is in. */
type Place = { project_id: number } | { namespace_id: number }

/** A user has become a member of a project or a group: added, or their request was approved. */
export interface MemberAdded {
  type: 'member_added'
  place: Place
  user_id: number
  access_level: number
  expires_at: Day | null
  /** By somebody who manages the place, at their own request, or with what is theirs anyway: a project or a group that they created. */
  how: 'added' | 'approved' | 'own'
}

/** A member has another level, or another day on which the membership ends. */
export interface MemberChanged {
  type: 'member_changed'
  place: Place
  user_id: number
  before: EndedMembership
  access_level: number
  expires_at: Day | null
}

/** A membership before it changed or ended. */
export interface EndedMembership {
  access_level: number
  expires_at: Day | null
  created_at: Instant
}

/** A member has left, or was removed. */
export interface MemberRemoved {
  type: 'member_removed'
  place: Place
  user_id: number
  was: EndedMembership
}

/** Memberships have run out and are removed: one event for all that one statement removed. */
export interface MembersExpired {
  type: 'members_expired'
  members: Array<{ place: Place; user_id: number; was: EndedMembership }>
}

/** A user wants to become a member. */
export interface AccessRequested {
  type: 'access_requested'
  place: Place
  user_id: number
  at: Instant
}

/** Somebody who manages the place has refused a request. */
export interface AccessDenied {
  type: 'access_denied'
  place: Place
  user_id: number
  at: Instant
}

interface OfInvitation {
  place: Place
  invitation_id: number
  email: string
  access_level: number
  expires_at: Day | null
}

/** An address is invited by mail, for the first time or again. */
export interface InvitationSent extends OfInvitation {
  type: 'invitation_sent'
}

export interface InvitationChanged extends OfInvitation {
  type: 'invitation_changed'
}

/** Withdrawn by those who manage the place, or declined. */
export interface InvitationRemoved extends OfInvitation {
  type: 'invitation_removed'
}
