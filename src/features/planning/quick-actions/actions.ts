/** What each quick action does: who may use it when, and what it changes. */
import type { Config } from '../../../config.ts'
import type { Tx } from '../../../db/database.ts'
import type { Issue } from '../../../db/tables.ts'
import type { Actor } from '../issues/issues.ts'
import type { Updates } from './updates.ts'

/** Where a quick action is used. */
export interface Situation {
  tx: Tx
  config: Config
  actor: Actor
  /** Null while it is being created. */
  issue: Issue | null
  assignees: number[]
  labels: number[]
  /** What the actions before it have asked for. */
  updates: Updates
}

/** Adds to the updates, and says what it did; null where that can't be done, or not by them. */
export type QuickAction = (at: Situation, argument: string) => Promise<string | null> | string | null

/** The actions by their names. */
export type QuickActions = Record<string, QuickAction>
