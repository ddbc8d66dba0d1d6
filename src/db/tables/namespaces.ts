/** Groups, personal namespaces, and the paths of everything in them. */
import type { Generated, Selectable } from 'kysely'
import type { Instant, Visibility } from './columns.ts'

export interface NamespaceTable {
  id: Generated<number>
  kind: 'user' | 'group'
  name: string
  path: string
  parent_id: number | null
  /** The user whose personal namespace this is; null for groups. */
  owner_id: number | null
  description: string
  visibility: Visibility
  lfs_enabled: boolean
  request_access_enabled: boolean
  /** Whether members need a second factor, and how many hours they may put it off. */
  require_two_factor_authentication: Generated<boolean>
  two_factor_grace_period: Generated<number>
  avatar_key: string | null
  avatar_name: string | null
  /** Registration token for group runners, sealed; null until it is first requested. */
  runners_token: string | null
  runners_token_digest: string | null
  /** By itself, or with a group above it. */
  archived: Generated<boolean>
  archived_by_itself: Generated<boolean>
  /** Until it is due it can be restored. */
  marked_for_deletion_at: Instant | null
  deletion_due_at: Instant | null
  created_at: Instant
  updated_at: Instant
}

/** The transitive closure of `parent_id`: one row for a namespace and each of its ancestors, including itself. */
export interface NamespaceAncestorTable {
  namespace_id: number
  ancestor_id: number
}

/** Full paths of namespaces and projects: a single key space, so that no path is used twice. */
export interface RouteTable {
  /** `path` in lower case. */
  path_key: string
  path: string
  namespace_id: number | null
  project_id: number | null
}

/** A former path of a project that was renamed or moved. */
export interface RedirectTable {
  /** In lower case. */
  path_key: string
  project_id: number
}

export type Namespace = Selectable<NamespaceTable>
