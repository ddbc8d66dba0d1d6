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

/** The project or group of a membership. */
type Place = { project_id: number } | { namespace_id: number }

/** A user has become a member of a project or group: they were added, or their request was approved. */
export interface MemberAdded {
  type: 'member_added'
  place: Place
  user_id: number
  access_level: number
  expires_at: Day | null
  /** By someone who manages the place, at their own request, or as the creator of the project or group. */
  how: 'added' | 'approved' | 'own'
}

/** The level or the expiry date of a membership has changed. */
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

/** Memberships have expired and were removed: one event for all that one statement removed. */
export interface MembersExpired {
  type: 'members_expired'
  members: Array<{ place: Place; user_id: number; was: EndedMembership }>
}

/** A user has requested to become a member. */
export interface AccessRequested {
  type: 'access_requested'
  place: Place
  user_id: number
  at: Instant
}

/** Someone who manages the place has denied a request. */
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
