/** What happens to memberships. */

export type MemberEvent = MemberAdded | MemberRemoved | MembersExpired

/** Where a membership counts. */
type Place = { project_id: number } | { namespace_id: number }

/** A user has become a member of a project or a group: added, or their request was approved. */
export interface MemberAdded {
  type: 'member_added'
  place: Place
  user_id: number
}

/** A member has left, or was removed. */
export interface MemberRemoved {
  type: 'member_removed'
  place: Place
  user_id: number
}

/** Memberships have run out and are removed: one event for all that one statement removed. */
export interface MembersExpired {
  type: 'members_expired'
  members: Array<{ place: Place; user_id: number }>
}
