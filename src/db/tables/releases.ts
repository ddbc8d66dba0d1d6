/** Releases, their asset links, and their milestones. */
import type { Generated, Selectable } from 'kysely'
import type { Instant } from './columns.ts'

export interface ReleaseTable {
  id: Generated<number>
  project_id: number
  tag_name: string
  /** Null if it is the name of the tag. */
  name: string | null
  /** Empty if there is none. */
  description: string
  /** Null for releases from before authors were recorded. */
  author_id: number | null
  /** In the future for an upcoming release. */
  released_at: Instant
  created_at: Instant
  updated_at: Instant
}

export type ReleaseLinkType = 'other' | 'runbook' | 'image' | 'package'

/** Name, URL and path are unique within a release. */
export interface ReleaseLinkTable {
  id: Generated<number>
  project_id: number
  release_id: number
  name: string
  url: string
  /** Path below the URL of the release; begins with a slash. */
  filepath: string | null
  link_type: ReleaseLinkType
  created_at: Instant
}

/** A milestone of the project of the release, or of a group above it. */
export interface ReleaseMilestoneTable {
  release_id: number
  milestone_id: number
}

/** A snapshot of a release, as evidence for audits: later changes of the release don't touch it. */
export interface ReleaseEvidenceTable {
  id: Generated<number>
  release_id: number
  /** The SHA-256 of the summary. */
  sha: string
  /** JSON. */
  summary: string
  collected_at: Instant
}

export type Release = Selectable<ReleaseTable>
export type ReleaseEvidence = Selectable<ReleaseEvidenceTable>
export type ReleaseLink = Selectable<ReleaseLinkTable>
