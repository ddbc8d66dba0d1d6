/** Events of the refs of a project. */
import type { Instant } from '../db/tables.ts'
import type { RefChange } from '../git/refs/ref-updates.ts'

/** Refs have moved: by git over HTTP or SSH, by the API, or because a repository was filled. */
export interface RefsPushed {
  type: 'refs_pushed'
  project_id: number
  user_id: number
  at: Instant
  changes: RefChange[]
  /** After the push; null while the repository is empty. */
  default_branch: string | null
  /** Whether this push created the default branch. */
  has_new_default_branch: boolean
  /** On the default branch; null if there is none. */
  readme_path: string | null
  /** False if the push asked to skip pipelines. */
  starts_pipelines?: boolean
  /** The options of `git push -o`: a JSON array, sealed as `push_intents.push_options`. */
  push_options?: string | null
}

/** Changes of refs that the journal announced did not happen. */
export interface PushDropped {
  type: 'push_dropped'
  project_id: number
  user_id: number
  changes: RefChange[]
}
