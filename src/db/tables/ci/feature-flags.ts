/** Feature flags of projects, which programs read by the protocol of Unleash. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from '../columns.ts'

export interface ProjectFlagTable {
  id: Generated<number>
  project_id: number
  name: string
  description: Generated<string>
  active: Generated<boolean>
  created_at: Instant
  updated_at: Instant
}

/** Whom a flag is on for. */
export interface FlagStrategyTable {
  id: Generated<number>
  flag_id: number
  name: 'default' | 'gradualRolloutUserId' | 'userWithId' | 'gitlabUserList' | 'flexibleRollout'
  /** Texts by name, as JSON. */
  parameters: Generated<string>
  /** Only the strategy `gitlabUserList` has one. */
  user_list_id: number | null
}

/** The environments in which a strategy counts: a name, or a wildcard. */
export interface FlagScopeTable {
  id: Generated<number>
  strategy_id: number
  environment_scope: Generated<string>
}

export interface FlagUserListTable {
  id: Generated<number>
  iid: number
  project_id: number
  name: string
  /** Ids of users of the program that asks, with commas between them. */
  user_xids: Generated<string>
  created_at: Instant
  updated_at: Instant
}

/** The secret by which programs read the flags of a project. */
export interface FlagClientTable {
  project_id: number
  instance_id_digest: string
  /** Sealed. */
  instance_id: string
  /** Raised by each change of what programs read. */
  version: Generated<number>
}

export type ProjectFlag = Selectable<ProjectFlagTable>
export type FlagStrategy = Selectable<FlagStrategyTable>
export type FlagScope = Selectable<FlagScopeTable>
export type FlagUserList = Selectable<FlagUserListTable>
