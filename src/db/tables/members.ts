/** Members, shared groups, requests to become a member, and invitations. */
import type { Generated, Selectable } from 'kysely'
import type { Day, Instant } from './columns.ts'

/** A member of a project or of a namespace: exactly one of the two ids is set. */
export interface MemberTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  user_id: number
  access_level: number
  expires_at: Day | null
  created_at: Instant
  /** Null if it was never changed. */
  updated_at: Instant | null
}

/**
 * A project or a group shared with a group: exactly one of the first two ids is set. Members of the group `group_id` get their level in
 * that group, capped by this one.
 */
export interface GroupShareTable {
  id: Generated<number>
  project_id: number | null
  /** The shared group; the share includes everything below it. */
  namespace_id: number | null
  group_id: number
  access_level: number
  expires_at: Day | null
  created_at: Instant
}

/** Access requests of a user, to exactly one of a project and a group. */
export interface AccessRequestTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  user_id: number
  created_at: Instant
}

/** An invitation by mail, to exactly one of a project and a group. */
export interface InvitationTable {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** In lower case. */
  email: string
  access_level: number
  /** The day on whose start the membership ends. */
  expires_at: Day | null
  token_digest: string
  /** For the message, which may be sent again. */
  sealed_token: string
  created_by_id: number | null
  created_at: Instant
  /** When the link ends. */
  ends_at: Instant
}

/**
 * Members of a group of the directory, or users who match a filter there, become members of a group here. Either `cn` or `filter` is empty.
 */
export interface LdapGroupLinkTable {
  id: Generated<number>
  namespace_id: number
  provider: string
  cn: string
  filter: string
  group_access: number
  created_at: Instant
}

export type LdapGroupLink = Selectable<LdapGroupLinkTable>

export type Invitation = Selectable<InvitationTable>

export type GroupShare = Selectable<GroupShareTable>
