/** Events of projects as a whole. */
import type { Instant, Visibility } from '../db/tables.ts'
import type { RefChange } from '../git/refs/ref-updates.ts'

export type ProjectEvent =
  | ProjectCreated
  | ProjectRestored
  | ProjectVisibilityChanged
  | ForksNarrowed
  | ForkEnded
  | ProjectChanged
  | ProjectRenamed
  | ProjectTransferred
  | ProjectRemoved
  | ProjectFlagCreated
  | ProjectFlagChanged
  | ProjectFlagRemoved
  | DeletionScheduled
  | DeletionWithdrawn
  | FlagClientReset
  | TerraformStateLocked
  | TerraformStateUnlocked
  | TerraformStateRemoved
  | SecureFileAdded
  | SecureFileRemoved

/** The row exists; the repository may not exist yet. */
export interface ProjectCreated {
  type: 'project_created'
  project_id: number
  creator_id: number
  /** The user whose personal namespace it is in; null in a group. */
  owner_id: number | null
}

/** A project was filled from an archive. */
export interface ProjectRestored {
  type: 'project_restored'
  project_id: number
  default_branch: string | null
  /** Every ref it has now, as created. */
  changes: RefChange[]
}

/** Someone changed it, or the project was moved to a less visible group. */
export interface ProjectVisibilityChanged {
  type: 'project_visibility_changed'
  project_id: number
  before: Visibility
  after: Visibility
}

/** Forks, and forks of forks, had their visibility reduced to that of their source: one event per statement. */
export interface ForksNarrowed {
  type: 'forks_narrowed'
  source_id: number
  fork_ids: number[]
  visibility: Visibility
}

/** It is no longer the fork of another project. */
export interface ForkEnded {
  type: 'fork_ended'
  project_id: number
  /** The id of the user who removed the relation. */
  actor_id: number
}

/** Its settings have changed, but not its path. */
export interface ProjectChanged {
  type: 'project_changed'
  project_id: number
}

/** Its path has changed, not only its name. The former path redirects until it is taken. */
export interface ProjectRenamed {
  type: 'project_renamed'
  project_id: number
  /** Full paths. */
  before: string
  after: string
}

/** It was moved to another namespace, so its full path has changed. A resulting change of visibility has its own event. */
export interface ProjectTransferred {
  type: 'project_transferred'
  project_id: number
  from_namespace_id: number
  to_namespace_id: number
  /** Full paths. */
  before: string
  after: string
}

/** Published just before the row is deleted, and with it every row that refers to it: alone, or with its group or owner. */
export interface ProjectRemoved {
  type: 'project_removed'
  project_id: number
}

interface OfProjectFlag {
  project_id: number
  flag_id: number
  name: string
  active: boolean
}

/** A feature flag of a project, for the programs that read it. */
export interface ProjectFlagCreated extends OfProjectFlag {
  type: 'project_flag_created'
}

export interface ProjectFlagChanged extends OfProjectFlag {
  type: 'project_flag_changed'
}

export interface ProjectFlagRemoved extends OfProjectFlag {
  type: 'project_flag_removed'
}

/** Programs read the feature flags of a project by another secret from now on. */
export interface FlagClientReset {
  type: 'flag_client_reset'
  project_id: number
}

interface OfTerraformState {
  project_id: number
  name: string
}

/** A state of OpenTofu or Terraform. */
export interface TerraformStateLocked extends OfTerraformState {
  type: 'terraform_state_locked'
}

export interface TerraformStateUnlocked extends OfTerraformState {
  type: 'terraform_state_unlocked'
}

export interface TerraformStateRemoved extends OfTerraformState {
  type: 'terraform_state_removed'
}

interface OfSecureFile {
  project_id: number
  file_id: number
  name: string
}

/** A key or certificate for the jobs of a project. */
export interface SecureFileAdded extends OfSecureFile {
  type: 'secure_file_added'
}

export interface SecureFileRemoved extends OfSecureFile {
  type: 'secure_file_removed'
}

/** A project, or a group with all below it, is deleted then unless it is restored. */
export interface DeletionScheduled {
  type: 'deletion_scheduled'
  place: { project_id: number } | { namespace_id: number }
  due_at: Instant
}

/** It is restored. */
export interface DeletionWithdrawn {
  type: 'deletion_withdrawn'
  place: { project_id: number } | { namespace_id: number }
}
