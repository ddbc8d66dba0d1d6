/** Events of groups. */

/** A group was moved below another one, or to the top, with everything in it: paths and access have changed. */
export interface GroupTransferred {
  type: 'group_transferred'
  group_id: number
  /** Null at the top. */
  parent_id: number | null
  user_id: number
}
