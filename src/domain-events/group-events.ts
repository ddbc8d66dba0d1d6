/** Events of groups and personal namespaces. */
import type { Namespace } from '../db/tables.ts'

/** A group was created, with its creator as owner. */
export interface GroupCreated {
  type: 'group_created'
  group: Namespace
}

/** Its path has changed, not only its name, and with it the paths of everything below. */
export interface GroupRenamed {
  type: 'group_renamed'
  group_id: number
  before: { path: string; full_path: string }
}

/** A group was moved below another one, or to the top level, with everything in it: paths and access have changed. */
export interface GroupTransferred {
  type: 'group_transferred'
  group_id: number
  /** Null at the top level. */
  parent_id: number | null
  user_id: number
}

/**
 * Published just before the row of a group or a personal namespace is deleted, and with it all groups below. Projects have their own event.
 */
export interface NamespaceRemoved {
  type: 'namespace_removed'
  namespace_id: number
}
