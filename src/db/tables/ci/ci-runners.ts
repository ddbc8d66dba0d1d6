/** Runners, and the CI variables that are defined outside of the CI file. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

/** Reported by the runner itself, so none of it can be trusted. */
interface RunnerInfo {
  version: string | null
  revision: string | null
  platform: string | null
  architecture: string | null
  executor: string | null
  ip_address: string | null
  contacted_at: Instant | null
}

export interface CiRunnerTable extends RunnerInfo {
  id: Generated<number>
  kind: 'instance' | 'group' | 'project'
  /** The group of a group runner. */
  namespace_id: number | null
  creator_id: number | null
  token_digest: string
  token_expires_at: Instant | null
  description: string | null
  maintenance_note: string | null
  active: Generated<boolean>
  locked: Generated<boolean>
  run_untagged: Generated<boolean>
  access_level: Generated<'not_protected' | 'ref_protected'>
  maximum_timeout_s: number | null
  /** As JSON, sorted. */
  tags: Generated<string>
  name: string | null
  created_at: Instant
  updated_at: Instant
}

export interface CiRunnerProjectTable {
  runner_id: number
  project_id: number
  created_at: Instant
}

/** One of the machines that share the token of a runner. */
export interface CiRunnerManagerTable extends RunnerInfo {
  id: Generated<number>
  runner_id: number
  system_id: string
  created_at: Instant
}

export interface CiVariableTable {
  id: Generated<number>
  /** Null, together with `namespace_id`, for a variable of the instance. */
  project_id: number | null
  namespace_id: number | null
  key: string
  /** Sealed. */
  value: string
  kind: Generated<'env_var' | 'file'>
  protected: Generated<boolean>
  masked: Generated<boolean>
  hidden: Generated<boolean>
  raw: Generated<boolean>
  environment_scope: Generated<string>
  description: string | null
  created_at: Instant
  updated_at: Instant
}

export type CiRunner = Selectable<CiRunnerTable>
export type CiRunnerManager = Selectable<CiRunnerManagerTable>
export type CiVariable = Selectable<CiVariableTable>
