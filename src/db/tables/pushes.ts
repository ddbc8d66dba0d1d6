/** The journal of pushes. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

/** A change of refs that was accepted and may have happened; deleted once its effects are recorded. */
export interface PushIntentTable {
  id: Generated<number>
  /** The refs belong to exactly one of a project and a wiki. */
  project_id: number | null
  wiki_id: number | null
  user_id: number
  /** The process that carries it out, in the format of `program/process-identity.ts`. */
  process: string
  /** A JSON array of RefChange. */
  changes: string
  /** The options of `git push -o`, as a sealed JSON array. */
  push_options: string | null
  created_at: Instant
}

export type PushIntent = Selectable<PushIntentTable>
