/** The scope of a list of issues or merge requests, and the filters that both have. */
import type { MergeRequest } from '../../../db/tables.ts'
import type { Place } from '../../../http/declare/places.ts'

/** The rows of one project, of a group with everything below it, or of everything. */
export type ListScope = { project_id: number } | { group_id: number } | Record<never, never>

/** The scope of a list in a project or group. */
export function scopeOf({ kind, row }: Place): { project_id: number } | { group_id: number } {
  return kind === 'project' ? { project_id: row.id } : { group_id: row.id }
}

/** A value, or whether there is any. */
export type OrAny<T> = T | 'none' | 'any'

/** Traits that may be wanted or, under `not`, unwanted. */
export interface CommonTraits {
  /** Titles: a row must have all of them; of unwanted ones, none. */
  labels?: OrAny<string[]> | undefined
  /** A title. `upcoming` is the next one due in its project or group; `started` has a start date that is not in the future. */
  milestone?: { title: string } | MilestoneWord | undefined
  milestone_id?: number | MilestoneWord | undefined
  author_id?: OrAny<number> | undefined
  author_username?: string | undefined
  assignee_id?: OrAny<number> | undefined
  assignee_usernames?: OrAny<string[]> | undefined
  /** Emoji awarded by the viewer. */
  my_reaction_emoji?: OrAny<{ name: string }> | undefined
  iids?: number[] | undefined
}

export type MilestoneWord = OrAny<'upcoming' | 'started'>

export type CommonOrder = 'created_at' | 'label_priority' | 'milestone_due' | 'popularity' | 'priority' | 'title' | 'updated_at'

/** All conditions must hold. */
export interface CommonFilter extends CommonTraits {
  /** `created_by_me` and `assigned_to_me` for both; other scopes are ignored. */
  scope?: string | undefined
  state?: MergeRequest['state'] | undefined
  not?: CommonTraits | undefined
  /** Words; quoted ones must be adjacent. */
  search?: string | undefined
  /** Fields to search; both by default. */
  search_in?: Array<'title' | 'description'> | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  updated_after?: string | undefined
  updated_before?: string | undefined
  /** Excludes archived projects. */
  non_archived?: boolean | undefined
  sort?: 'asc' | 'desc' | undefined
}
