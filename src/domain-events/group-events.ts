/** What happens to groups as a whole. */

/** A group stands below another one now, or at the top, with all that is in it: paths and access have changed. */
export interface GroupTransferred {
  type: 'group_transferred'
  group_id: number
  /** Null at the top. */
  parent_id: number | null
  user_id: number
}
