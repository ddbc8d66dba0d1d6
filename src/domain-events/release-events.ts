/** Events of releases. */
import type { Release } from '../db/tables.ts'

export type ReleaseEvent = ReleaseCreated | ReleaseChanged | ReleaseRemoved

interface OfRelease {
  release: Release
  /** The id of the acting user. */
  actor_id: number
}

export interface ReleaseCreated extends OfRelease {
  type: 'release_created'
}

export interface ReleaseChanged extends OfRelease {
  type: 'release_changed'
}

/** Published before its row is deleted. */
export interface ReleaseRemoved extends OfRelease {
  type: 'release_removed'
}
