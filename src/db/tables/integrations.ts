/** Integrations of projects with other tools. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface IntegrationTable {
  id: Generated<number>
  /** Null for a template that new projects get a copy of. */
  project_id: number | null
  /** The kind of integration, as in paths: `custom-issue-tracker`. */
  slug: string
  active: boolean
  /** Its fields as sealed JSON, since some are secret. */
  settings: string
  /** Flags of events that differ from the default, as JSON. */
  events: string
  created_at: Instant
  updated_at: Instant
}

/** The user account connected to a chat account, for slash commands. */
export interface ChatNameTable {
  id: Generated<number>
  user_id: number
  integration_id: number
  team_id: string
  team_domain: string | null
  chat_id: string
  chat_name: string | null
  last_used_at: Instant | null
  created_at: Instant
}

export type Integration = Selectable<IntegrationTable>
export type ChatName = Selectable<ChatNameTable>
