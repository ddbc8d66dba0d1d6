/** The journal of pushes. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A change of refs that was allowed and may have happened: gone again once its effects are recorded. */
export interface PushIntentTable {
  id: Generated<number>
  /** Exactly one of a project and a wiki has these refs. */
  project_id: number | null
  wiki_id: number | null
  user_id: number
  /** Which process carries it out, as `program/process-identity.ts` writes it. */
  process: string
  /** A JSON array of RefChange. */
  changes: string
  /** What `git push -o` sent along: a sealed JSON array. */
  push_options: string | null
  created_at: Instant
}

export type PushIntent = Selectable<PushIntentTable>
