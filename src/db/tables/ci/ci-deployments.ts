/** Environments, resource groups and other things that jobs deploy to, wait for and may access; and packages. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface CiEnvironmentTable {
  id: Generated<number>
  project_id: number
  name: string
  slug: string
  external_url: string | null
  description: string | null
  state: Generated<'available' | 'stopping' | 'stopped'>
  tier: Generated<'production' | 'staging' | 'testing' | 'development' | 'other'>
  auto_stop_at: Instant | null
  created_at: Instant
  updated_at: Instant
}

export interface CiDeploymentTable {
  id: Generated<number>
  iid: number
  project_id: number
  environment_id: number
  job_id: number | null
  user_id: number | null
  ref: string
  tag: Generated<boolean>
  sha: string
  status: 'created' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked'
  /** The name of the job that stops the environment. */
  on_stop: string | null
  created_at: Instant
  updated_at: Instant
  finished_at: Instant | null
}

export interface CiResourceGroupTable {
  id: Generated<number>
  project_id: number
  key: string
  process_mode: Generated<'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first'>
  created_at: Instant
  updated_at: Instant
}

export interface CiFreezePeriodTable {
  id: Generated<number>
  project_id: number
  freeze_start: string
  freeze_end: string
  cron_timezone: Generated<string>
  created_at: Instant
  updated_at: Instant
}

/** Job tokens of `allowed_project_id` have access to `project_id`. */
export interface CiJobTokenProjectTable {
  project_id: number
  allowed_project_id: number
  created_at: Instant
}

export interface CiJobTokenGroupTable {
  project_id: number
  allowed_namespace_id: number
  created_at: Instant
}

export interface PackageTable {
  id: Generated<number>
  project_id: number
  creator_id: number | null
  kind: Generated<'generic'>
  name: string
  version: string
  status: Generated<'default' | 'hidden'>
  created_at: Instant
}

export interface PackageFileTable {
  id: Generated<number>
  package_id: number
  file_name: string
  size: number
  sha256: string
  store_key: string
  created_at: Instant
}

export type CiEnvironment = Selectable<CiEnvironmentTable>
export type CiDeployment = Selectable<CiDeploymentTable>
export type CiResourceGroup = Selectable<CiResourceGroupTable>
export type CiFreezePeriod = Selectable<CiFreezePeriodTable>
export type Package = Selectable<PackageTable>
export type PackageFile = Selectable<PackageFileTable>
