/** What happens to memberships. */

/** A user has become a member of a project or a group: added, or their request was approved. */
export interface MemberAdded {
  type: 'member_added'
  place: { project_id: number } | { namespace_id: number }
  user_id: number
}
